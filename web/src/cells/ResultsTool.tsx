// Earlier results of a cell, and those of its variants: what it gave under other sources and inputs, as long as it is kept. Each
// can be set beside the one of now.

import { lazy, Suspense, useEffect, useState } from 'react';
import { usualLanguage } from '../../../src/cellLanguages.ts';
import type { CellResultRecord } from '../../../src/protocol/index.ts';
import { messageOf, readResults } from '../api/index.ts';
import { withoutFinalNewline } from '../editor/finalNewline.ts';
import { StaticCode } from '../editor/StaticCode.tsx';
import { useCell, useModel, useNotebook } from '../notebook/context.ts';
import { putBack } from '../notebook/texts.ts';
import { Output } from '../outputs/Output.tsx';
import { ago, duration, textOf } from '../state/index.ts';
import { Button, focusBack, IconButton, Message } from '../ui/index.ts';
import { Console } from './Console.tsx';
import './tools.css';

const Compare = lazy(() => import('../outputs/Compare.tsx').then((room) => ({ default: room.Compare })));

export function ResultsTool({ cellId }: { cellId: string }) {
  const { sessionId, view } = useNotebook();
  const cell = useCell(cellId);
  const [results, setResults] = useState<readonly CellResultRecord[]>([]);
  const [chosen, setChosen] = useState<string | null>(null);
  const [isCompared, setCompared] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const status = cell?.status;

  // biome-ignore lint/correctness/useExhaustiveDependencies: a cell that has run has another result
  useEffect(() => {
    let isGone = false;
    readResults(sessionId, cellId).then(
      (answer) => {
        if (!isGone) setResults(answer.results);
      },
      (error: unknown) => {
        if (!isGone) setProblem(messageOf(error));
      },
    );
    return () => {
      isGone = true;
    };
  }, [sessionId, cellId, status]);

  const variants = useVariants(cellId);
  const earlier: readonly ShownResult[] = [...results.filter((result) => !result.is_current), ...variants];
  const shown = earlier.find((result) => result.provenance_hash === chosen) ?? earlier[0];
  return (
    <section ref={focusBack} className="tool" aria-label="Earlier results">
      <header>
        <span>Earlier results</span>
        {earlier.length > 1 && (
          <select
            className="input"
            aria-label="Which result"
            value={shown?.provenance_hash}
            onChange={(event) => setChosen(event.target.value)}
          >
            {earlier.map((result) => (
              <option key={result.provenance_hash} value={result.provenance_hash}>
                {wordsOf(result)}
              </option>
            ))}
          </select>
        )}
        {earlier.length === 1 && shown && <small>{wordsOf(shown)}</small>}
        {shown && cell && (
          <Button look="quiet" aria-pressed={isCompared} onClick={() => setCompared(!isCompared)}>
            Compare with now
          </Button>
        )}
        <IconButton icon="close" label="Close" onClick={() => view.send({ kind: 'tool', cellId, tool: null })} />
      </header>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {problem === null && !shown && <p className="tool-none">No earlier results.</p>}
      {shown && cell && isCompared && (
        <Suspense fallback={null}>
          <Compare
            key={shown.provenance_hash}
            before={shown.display_outputs}
            after={cell.displays}
            names={[wordsOf(shown), 'Now']}
            sessionId={sessionId}
            cellId={cellId}
          />
        </Suspense>
      )}
      {shown && !isCompared && (
        <div key={shown.provenance_hash} className="tool-result">
          <EarlierSource cellId={cellId} source={shown.source} />
          <Console cell={{ stdout: shown.stdout, stderr: shown.stderr, status: 'ready' }} />
          {shown.display_outputs.map((display, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a display is its place among the result's displays
            <Output key={index} display={display} index={null} cellId={cellId} sessionId={sessionId} />
          ))}
          {shown.display_outputs.length === 0 && shown.stdout === '' && shown.stderr === '' && (
            <p className="tool-none">It had no output.</p>
          )}
        </div>
      )}
    </section>
  );
}

/** What the other variants of the cell show now, in the form of earlier results. */
function useVariants(cellId: string): readonly ShownResult[] {
  const cells = useModel((model) => model.cells);
  const group = cells.get(cellId)?.variantGroup ?? null;
  if (group === null) return [];
  return [...cells.values()]
    .filter((cell) => cell.variantGroup === group && cell.id !== cellId && cell.displays.length > 0)
    .map((cell) => ({
      provenance_hash: cell.id,
      created_at: 0,
      duration_ms: 0,
      is_current: false,
      source: cell.source,
      stdout: cell.stdout,
      stderr: cell.stderr,
      display_outputs: [...cell.displays],
      variant: cell.variantName ?? 'another',
    }));
}

const noLines: ReadonlySet<number> = new Set();

function EarlierSource({ cellId, source }: { cellId: string; source: string | null }) {
  const session = useNotebook();
  const now = useModel((model) => textOf(model, cellId));
  const language = useCell(cellId)?.language ?? usualLanguage;
  if (source === null) return null;
  if (withoutFinalNewline(source) === withoutFinalNewline(now))
    return <p className="tool-none">Same source as now, with other inputs.</p>;
  return (
    <div className="tool-source">
      <StaticCode source={source} language={language} marked={noLines} isNumbered={false} onEdit={() => {}} />
      {!session.isReadOnly && (
        <Button onClick={() => void putBack(session, cellId, source)}>Put this source back</Button>
      )}
    </div>
  );
}

interface ShownResult extends CellResultRecord {
  readonly variant?: string;
}

const wordsOf = ({ created_at, duration_ms, variant }: ShownResult): string =>
  variant !== undefined ? `variant ${variant}` : `${ago(created_at * 1000)}, took ${duration(duration_ms)}`;
