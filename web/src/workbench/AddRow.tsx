// The end of the notebook: a new cell of each kind.
import { cellLanguages, languageFacts } from '../../../src/cellLanguages.ts';
import { useNotebook } from '../notebook/context.ts';
import { addCell } from '../notebook/structure.ts';
import { Button, Icon } from '../ui/index.ts';

export function AddRow({ after }: { after: string | null }) {
  const session = useNotebook();
  return (
    <div className="add-row">
      {cellLanguages.map((language) => (
        <Button
          key={language}
          look="quiet"
          title={languageFacts[language].about}
          onClick={() => void addCell(session, after, language)}
        >
          <Icon name="plus" size={13} />
          {languageFacts[language].label}
        </Button>
      ))}
    </div>
  );
}
