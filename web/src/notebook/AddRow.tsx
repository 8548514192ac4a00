// The end of the notebook: a new cell of each kind.
import type { Language } from '../state/index.ts';
import { Button, Icon } from '../ui/index.ts';
import { useNotebook } from './context.ts';
import { addCell } from './structure.ts';

const kinds: readonly [language: Language, label: string, about: string][] = [
  ['python', 'Python', 'Code; its results are kept'],
  ['markdown', 'Note', 'Text with headings, lists and formulas'],
  ['sql', 'SQL', 'A query on a connection'],
  ['widget', 'Controls', 'Sliders and choices that other cells read'],
  ['prompt', 'Prompt', 'A question to a language model'],
  ['r', 'R', 'Code in R'],
];

export function AddRow({ after }: { after: string | null }) {
  const session = useNotebook();
  return (
    <div className="add-row">
      {kinds.map(([language, label, about]) => (
        <Button key={language} look="quiet" title={about} onClick={() => void addCell(session, after, language)}>
          <Icon name="plus" size={13} />
          {label}
        </Button>
      ))}
    </div>
  );
}
