// What a loop carried, step by step: a slider through its iterations, and the numbers of all of them in one table.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { IterationRecord } from '../../../src/protocol/index.ts';
import { messageOf, readIterations, readValue } from '../api/index.ts';
import { useCell, useNotebook } from '../notebook/context.ts';
import { StoredValueView } from '../outputs/StoredValue.tsx';
import { focusBack, IconButton, Message } from '../ui/index.ts';
import './tools.css';

export function IterationsTool({ cellId }: { cellId: string }) {
  const { sessionId, view } = useNotebook();
  const cell = useCell(cellId);
  const [found, setFound] = useState<{ variable: string | null; iterations: readonly IterationRecord[] } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  /** Null: the last, also when there are more. */
  const [chosen, choose] = useState<number | null>(null);
  const steps = usePaced(cell?.progress?.done);
  const status = cell?.status;

  // biome-ignore lint/correctness/useExhaustiveDependencies: each step of a run, and its end, leaves another value
  useEffect(() => {
    const leaving = new AbortController();
    readIterations(sessionId, cellId, leaving.signal).then(setFound, (error: unknown) => {
      if (!leaving.signal.aborted) setProblem(messageOf(error));
    });
    return () => leaving.abort();
  }, [sessionId, cellId, steps, status]);

  const iterations = found?.iterations ?? [];
  const at = Math.min(chosen ?? iterations.length - 1, iterations.length - 1);
  const shown = iterations[at];
  return (
    <section ref={focusBack} className="tool" aria-label="Iterations">
      <header>
        <span>
          Iterations
          {found?.variable ? (
            <>
              {' '}
              of <code>{found.variable}</code>
            </>
          ) : null}
        </span>
        {shown && (
          <>
            <input
              type="range"
              className="slider"
              aria-label="Which iteration"
              aria-valuetext={`${at + 1} of ${iterations.length}`}
              min={0}
              max={iterations.length - 1}
              value={at}
              onChange={(event) => choose(Number(event.target.value))}
            />
            <small>
              {at + 1} of {iterations.length}
            </small>
          </>
        )}
        <IconButton icon="close" label="Close" onClick={() => view.send({ kind: 'tool', cellId, tool: null })} />
      </header>
      {problem !== null && <Message tone="error">{problem}</Message>}
      {found && !shown && <p className="tool-none">No iterations yet: run the loop.</p>}
      {shown && (
        <div className="tool-result">
          <StoredValueView key={shown.artifact_uri} sessionId={sessionId} cellId={cellId} uri={shown.artifact_uri} />
        </div>
      )}
      {iterations.length > 1 && <NumbersOfAll cellId={cellId} iterations={iterations} chosen={at} onChoose={choose} />}
    </section>
  );
}

/** Short loops go on faster than anybody reads. */
const paceMilliseconds = 500;

/** The value, but not more often than that. */
function usePaced<T>(value: T): T {
  const [paced, set] = useState(value);
  const latest = useRef(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => {
    latest.current = value;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      set(latest.current);
    }, paceMilliseconds);
  }, [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return paced;
}

/** More rows are not read for an overview. */
const mostRows = 100;

/** Which iterations stand for all: each 2nd, 4th, 8th …, so that those that were read still stand there when more have come. */
function overview(count: number): readonly number[] {
  let stride = 1;
  while (count / stride > mostRows) stride *= 2;
  const places = Array.from({ length: Math.ceil(count / stride) }, (_, at) => at * stride);
  return places.at(-1) === count - 1 ? places : [...places, count - 1];
}

type Numbers = Readonly<Record<string, number>>;

function NumbersOfAll(props: {
  cellId: string;
  iterations: readonly IterationRecord[];
  chosen: number;
  onChoose: (at: number) => void;
}) {
  const { cellId, iterations, chosen, onChoose } = props;
  const places = useMemo(() => overview(iterations.length), [iterations]);
  const shown = useMemo(() => places.flatMap((at) => iterations[at] ?? []), [places, iterations]);
  const rows = useNumbers(cellId, shown);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row ?? {})))].slice(0, 8);
  if (columns.length === 0) return null;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="tool-table" tabIndex={0} aria-label="Numbers of all iterations">
      <table>
        <thead>
          <tr>
            <th scope="col">Iteration</th>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {places.map((at, place) => (
            <tr key={at} aria-current={at === chosen ? 'true' : undefined}>
              <th scope="row">
                <button type="button" className="text-button" onClick={() => onChoose(at)}>
                  {at + 1}
                </button>
              </th>
              {columns.map((name) => (
                <td key={name}>{rows[place]?.[name]?.toLocaleString(undefined, { maximumSignificantDigits: 6 })}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {places.length < iterations.length && (
        <p className="tool-none">
          {places.length} of {iterations.length}, spread evenly; the slider has all.
        </p>
      )}
    </section>
  );
}

/** The numbers in what each iteration carried, as far as these are read. */
function useNumbers(cellId: string, iterations: readonly IterationRecord[]): readonly (Numbers | undefined)[] {
  const { sessionId } = useNotebook();
  const [known, setKnown] = useState<ReadonlyMap<string, Numbers>>(new Map());
  useEffect(() => {
    const leaving = new AbortController();
    async function read(): Promise<void> {
      const missing = iterations.filter(
        ({ content_type, artifact_uri }) => content_type === 'json/object' && !known.has(artifact_uri),
      );
      if (missing.length === 0) return;
      const found = await Promise.all(
        missing.map(async ({ artifact_uri }): Promise<[string, Numbers]> => {
          const { text } = await readValue({ sessionId, cellId, uri: artifact_uri }, leaving.signal);
          return [artifact_uri, text === null ? {} : numbersIn(JSON.parse(text))];
        }),
      );
      setKnown(new Map([...known, ...found]));
    }
    read().catch(() => {}); // the slider shows what is there
    return () => leaving.abort();
  }, [sessionId, cellId, iterations, known]);
  return iterations.map(({ artifact_uri }) => known.get(artifact_uri));
}

function numbersIn(value: unknown): Numbers {
  if (typeof value === 'number') return { value };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
