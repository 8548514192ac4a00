// Who gets which worker, which are started and which are given back: decided from what is known, and done elsewhere.
import type { JobReport } from './engine.ts';

export interface WaitingCell {
  readonly id: string;
  /** Workers of the same shape can take it. */
  readonly shape: string;
  readonly environment: string | null;
  readonly timeoutSeconds: number;
}

export interface PlacedWorker {
  readonly name: string;
  readonly shape: string;
  /** That of the cell which it ran last. */
  readonly environment: string | null;
  readonly state: 'starting' | 'idle' | 'busy' | 'leaving';
  readonly idleSince: number;
  /** How long the cluster lets it live, and how much of that is left; null: without end. */
  readonly seconds: number | null;
  readonly secondsLeft: number | null;
  readonly report: JobReport | undefined;
}

export interface Arrangement {
  readonly handed: readonly { readonly cell: string; readonly worker: string }[];
  /** How many new workers of each shape. */
  readonly started: ReadonlyMap<string, number>;
  readonly givenBack: readonly string[];
}

/** `cells` in the order in which they are served; `most` workers live at the same time. */
export function arrange(cells: readonly WaitingCell[], workers: readonly PlacedWorker[], most: number): Arrangement {
  const idle = workers.filter(({ state }) => state === 'idle');
  const handed: { cell: string; worker: string }[] = [];
  const left: WaitingCell[] = [];
  for (const cell of cells) {
    const fitting = idle.filter((worker) => worker.shape === cell.shape && livesLongEnough(worker, cell));
    const worker = fitting.find(({ environment }) => environment === cell.environment) ?? fitting[0];
    if (!worker) {
      left.push(cell);
      continue;
    }
    idle.splice(idle.indexOf(worker), 1);
    handed.push({ cell: cell.id, worker: worker.name });
  }
  const started = new Map<string, number>();
  let room = most - workers.length;
  let missing = 0;
  for (const [shape, waiting] of Map.groupBy(left, (cell) => cell.shape)) {
    const coming = workers.filter((worker) => worker.state === 'starting' && worker.shape === shape);
    const lacking = Math.max(0, waiting.length - coming.length);
    const now = Math.max(0, Math.min(lacking, room));
    if (now > 0) started.set(shape, now);
    room -= now;
    // The cluster itself may be full of workers that nobody waits for.
    const held = coming.filter(({ report }) => report?.state === 'waiting' && report.reason !== null).length;
    missing += lacking - now + Math.min(held, waiting.length);
  }
  // Of those that nobody waits for the one that has been idle longest goes first.
  const spare = idle.toSorted((a, b) => a.idleSince - b.idleSince).slice(0, missing);
  return { handed, started, givenBack: spare.map(({ name }) => name) };
}

/** The cluster would end a worker that is near its end in the middle of the cell. */
const livesLongEnough = ({ seconds, secondsLeft }: PlacedWorker, { timeoutSeconds }: WaitingCell): boolean =>
  seconds === null || secondsLeft === null || secondsLeft >= Math.min(timeoutSeconds, seconds / 2);

export interface Told {
  readonly state: 'queued' | 'starting';
  readonly position: number | null;
  readonly detail: string;
}

/** What each waiting cell is told: its place in line and what it waits for, or where its worker starts. */
export function tellWaiting(
  cells: readonly WaitingCell[],
  workers: readonly PlacedWorker[],
  engine: string,
  trouble: string | null,
): ReadonlyMap<string, Told> {
  const rank = ({ report }: PlacedWorker): number =>
    report?.state === 'running' ? 0 : report?.state === 'waiting' ? (report.position ?? 1e9) : 2e9;
  const coming = Map.groupBy(
    workers.filter(({ state }) => state === 'starting').toSorted((a, b) => rank(a) - rank(b)),
    ({ shape }) => shape,
  );
  return new Map(
    cells.map((cell, index): [string, Told] => {
      const report = coming.get(cell.shape)?.shift()?.report;
      if (report?.state === 'running')
        return [cell.id, { state: 'starting', position: null, detail: `starting${onNode(report.node)}` }];
      const position = index + 1;
      const why = trouble ?? (report?.state === 'waiting' ? report.reason : null);
      return [
        cell.id,
        { state: 'queued', position, detail: `waiting for ${engine}, #${position}${why === null ? '' : ` (${why})`}` },
      ];
    }),
  );
}

export const onNode = (node: string | null | undefined): string => (node ? ` on ${node}` : '');
