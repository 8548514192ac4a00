// The tests of a cell: their source, a run, and what came of it.
import { useState } from 'react';
import { ApiError, type CellTests, messageOf, runTests, saveTests } from '../api/index.ts';
import { useCell, useNotebook } from '../notebook/context.ts';
import { useObjection } from '../notebook/rights.ts';
import { Button, Dot, focusBack, IconButton, Message } from '../ui/index.ts';
import './tools.css';

const notYet = 'This server does not run tests of cells yet.';

/** Tests that were written and have not run stay when the tool is closed, or when their cell goes and comes back. */
const written = new Map<string, string>();

export function TestsTool({ cellId }: { cellId: string }) {
  const { sessionId, view } = useNotebook();
  const cell = useCell(cellId);
  const toRun = useObjection('notebook:execute');
  const objection = useObjection('notebook:write') ?? toRun;
  const draft = `${sessionId} ${cellId}`;
  const [source, setSource] = useState(written.get(draft) ?? cell?.testSource ?? '');
  const [result, setResult] = useState<CellTests | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  async function run(): Promise<void> {
    setBusy(true);
    setProblem(null);
    try {
      await saveTests(sessionId, cellId, source);
      if (written.get(draft) === source) written.delete(draft);
      setResult(await runTests(sessionId, cellId));
    } catch (error) {
      setProblem(error instanceof ApiError && error.isMissing ? notYet : messageOf(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <section ref={focusBack} className="tool" aria-label="Tests">
      <header>
        <span>Tests</span>
        <Button look="quiet" disabled={objection !== null || isBusy || source.trim() === ''} onClick={() => void run()}>
          {isBusy ? 'Running …' : 'Run tests'}
        </Button>
        <IconButton icon="close" label="Close" onClick={() => view.send({ kind: 'tool', cellId, tool: null })} />
      </header>
      <textarea
        className="input mono"
        aria-label="Source of the tests"
        readOnly={objection !== null}
        rows={Math.max(4, source.split('\n').length)}
        placeholder={'def test_total(cell):\n    assert cell.total > 0'}
        value={source}
        onChange={(event) => {
          setSource(event.target.value);
          written.set(draft, event.target.value);
        }}
        onKeyDown={(event) => {
          if (objection === null && event.key === 'Enter' && (event.metaKey || event.ctrlKey)) void run();
        }}
      />
      {objection !== null && <p className="tool-none">{objection}</p>}
      {problem !== null && <Message tone="stale">{problem}</Message>}
      {result && (
        <ul className="tool-tests">
          {result.tests.map(({ name, outcome, message }) => (
            <li key={name}>
              <Dot status={outcome === 'passed' ? 'ready' : 'error'} label={outcome} /> {name}
              {message && <pre>{message}</pre>}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
