// A prompt that stands where the cell stands: its inputs are there, nothing it does is kept.
import { useEffect, useMemo, useRef } from 'react';
import { suggestAgain } from '../api/index.ts';
import { useCell, useNotebook } from '../notebook/context.ts';
import { focusBack, IconButton } from '../ui/index.ts';
import './tools.css';
import { useEntered } from './useEntered.ts';
import { answerText, useInspection } from './useInspection.ts';
import { type Offer, usePromptLine } from './usePromptLine.ts';

const mostOffers = 60;

/** The inputs of the cell are there before anything else. */
function namesFor(source: string, inputs: readonly string[]): Offer[] {
  const found = /(?<![\w.])[A-Za-z_]\w*$/.exec(source);
  if (!found) return [];
  return inputs
    .filter((name) => name.startsWith(found[0]))
    .map((label) => ({ label, line: source.slice(0, found.index) + label }));
}

export function InspectTool({ cellId }: { cellId: string }) {
  const { view, sessionId } = useNotebook();
  const { answers, waiting, problem, ask } = useInspection(cellId);
  const references = useCell(cellId)?.references ?? [];
  const asked = useMemo(() => answers.flatMap(({ expr }) => expr ?? []), [answers]);
  const line = usePromptLine(asked, async (source, signal) => {
    const { items, from } = await suggestAgain({ sessionId, cellId, source, offset: source.length }, signal);
    const isInner = /(^|\W)_\w*$/.test(source);
    const typed = source.slice(from).toLowerCase();
    const known = items
      .filter(({ label }) => (isInner || !label.startsWith('_')) && label.toLowerCase().startsWith(typed))
      .map(({ label }) => ({ label, line: source.slice(0, from) + label }));
    return [...namesFor(source, references), ...known].slice(0, mostOffers);
  });
  const input = useRef<HTMLInputElement>(null);
  const said = useRef<HTMLOListElement>(null);

  useEntered(cellId, input);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is new comes into sight
  useEffect(() => {
    said.current?.lastElementChild?.scrollIntoView({ block: 'nearest' });
  }, [answers, waiting]);

  const close = () => view.send({ kind: 'tool', cellId, tool: null });
  return (
    <section ref={focusBack} className="tool" aria-label="Inspect inputs">
      <header>
        <span>Inputs of this cell</span>
        <IconButton icon="close" label="Close" onClick={close} />
      </header>
      {problem !== null && <p className="tool-problem">{problem}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and keys must reach it */}
      <ol ref={said} className="tool-answers" aria-label="Answers" aria-live="polite" tabIndex={0}>
        {answers.map((answer, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: answers only grow at the end
          <li key={index}>
            <code>{answer.expr}</code>
            {answer.stdout && <pre>{answer.stdout}</pre>}
            {answerText(answer) !== '' && <pre className={answer.ok ? '' : 'tool-problem'}>{answerText(answer)}</pre>}
          </li>
        ))}
        {waiting.map((expression, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: they are answered in their order
          <li key={`waiting ${index}`}>
            <code>{expression}</code>
            <p className="tool-none">running …</p>
          </li>
        ))}
      </ol>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (line.text.trim() === '') return;
          ask(line.take());
        }}
      >
        <input
          ref={input}
          className="input mono"
          aria-label="Expression"
          placeholder="An expression, for example df.head()"
          value={line.text}
          onChange={(event) => line.write(event.target.value)}
          onKeyDown={(event) => {
            if (!line.press(event) && event.key === 'Escape') close();
          }}
        />
        {line.offers.length > 0 && (
          <div className="tool-offers" role="listbox" aria-label="What may stand here">
            {line.offers.map((offer, index) => (
              <button
                key={offer.label}
                type="button"
                role="option"
                aria-selected={index === line.chosen}
                tabIndex={-1}
                onClick={() => {
                  line.accept(offer);
                  input.current?.focus();
                }}
              >
                {offer.label}
              </button>
            ))}
          </div>
        )}
      </form>
    </section>
  );
}
