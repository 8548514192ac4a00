// A prompt that stands where the cell stands: its inputs are there, nothing it does is kept.
import { useEffect, useMemo, useRef, useState } from 'react';
import { useModel, useNotebook } from '../notebook/context.ts';
import { focusBack, IconButton } from '../ui/index.ts';
import './tools.css';

export function InspectTool({ cellId }: { cellId: string }) {
  const { link, view } = useNotebook();
  const all = useModel((model) => model.inspections);
  const answers = useMemo(
    () => all.filter((answer) => answer.cell_id === cellId && answer.action === 'eval'),
    [all, cellId],
  );
  const opened = useMemo(
    () => all.findLast((answer) => answer.cell_id === cellId && answer.action === 'open'),
    [all, cellId],
  );
  const [expression, setExpression] = useState('');
  const input = useRef<HTMLInputElement>(null);

  useEffect(() => {
    link.send('inspect_open', { cell_id: cellId });
    input.current?.focus();
    return () => void link.send('inspect_close', { cell_id: cellId });
  }, [link, cellId]);

  const close = () => view.send({ kind: 'tool', cellId, tool: null });
  return (
    <section ref={focusBack} className="tool" aria-label="Inspect inputs">
      <header>
        <span>Inputs of this cell</span>
        <IconButton icon="close" label="Close" onClick={close} />
      </header>
      {opened && !opened.ok && <p className="tool-problem">{opened.error ?? opened.result}</p>}
      <ol className="tool-answers" aria-live="polite">
        {answers.map((answer, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: answers only grow at the end
          <li key={index}>
            <code>{answer.expr}</code>
            {answer.stdout && <pre>{answer.stdout}</pre>}
            <pre className={answer.ok ? '' : 'tool-problem'}>{answer.ok ? answer.result : answer.error}</pre>
          </li>
        ))}
      </ol>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (expression.trim() === '') return;
          link.send('inspect_eval', { cell_id: cellId, expr: expression });
          setExpression('');
        }}
      >
        <input
          ref={input}
          className="input mono"
          aria-label="Expression"
          placeholder="An expression, for example df.head()"
          value={expression}
          onChange={(event) => setExpression(event.target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') close();
          }}
        />
      </form>
    </section>
  );
}
