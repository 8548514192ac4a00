// One cell of a run, with the frames that tell of it: running, its console as it comes, its output or error, and then every
// cell that looks different now.
import { kindOf } from '../../cellLanguages.ts';
import { orTrouble } from '../../errors/index.ts';
import { changedMeanwhile, type Executed, type KeptResult, type TeamOrigin } from '../run/index.ts';
import type { CellFacts } from '../state/index.ts';
import type { CellOutcome, CellRunOptions, RunHost } from './host.ts';
import { errorPayload, hitPayload, outputPayload, teamFields } from './outputFrames.ts';
import { runningPayload, statusPayload } from './statusFrames.ts';

export async function runCell(host: RunHost, cellId: string, options: CellRunOptions): Promise<CellOutcome> {
  host.apply({ type: 'started', cellId });
  host.broadcast('cell_status', runningPayload(cellId));
  const outcome = await settle(host, cellId, options).catch((error: unknown) =>
    options.signal.aborted ? stopped(host, cellId, null) : broken(host, cellId, error),
  );
  host.settled(outcome);
  return outcome;
}

/** The run itself went wrong (a full disk, a store that is gone): told as the cell's failure, and the session goes on. */
function broken(host: RunHost, cellId: string, reason: unknown): CellOutcome {
  const error = orTrouble(reason);
  const text = `The cell could not be run to its end: ${error instanceof Error ? error.message : String(error)}`;
  host.broadcast('cell_error', { cell_id: cellId, error: text, stdout: '', stderr: '' });
  announce(host, host.apply({ type: 'stopped', cellId }).changed);
  return { cellId, status: 'error', cacheHit: false, result: null, executed: null, error: text };
}

async function settle(host: RunHost, cellId: string, options: CellRunOptions): Promise<CellOutcome> {
  const { useCache, signal } = options;
  const facts = host.session().facts.get(cellId);
  const asked = facts?.asksOutside ?? null;
  if (asked === null) host.readsNothingFar(cellId);
  const look = asked === null ? undefined : await host.look(cellId, { signal, mayAsk: true, renew: !useCache });
  if (look && 'problem' in look) return ended(host, cellId, facts, look);
  if (look && asked !== null) host.apply({ type: 'looked', cellId, asked, digest: look.digest });
  await host.lookAtFiles([cellId]);
  const kept = useCache || (facts && kindOf(facts.language) === 'text') ? host.findKept(cellId, options) : undefined;
  if (kept) return found(host, cellId, kept, undefined);
  // Whoever wants what a repeat gives does not want what a colleague got either.
  const isRepeat = useCache && options.isAsked && host.findKept(cellId, { ...options, isAsked: false }) !== undefined;
  return ended(host, cellId, facts, await host.execute(cellId, { ...options, look, useCache: useCache && !isRepeat }));
}

/** `team`: where it was found, when not here. */
function found(host: RunHost, cellId: string, result: KeptResult, team: TeamOrigin | undefined): CellOutcome {
  const controls = host.controls(cellId);
  host.broadcast('cell_output', { ...hitPayload(cellId, result, controls), ...(team ? teamFields(team) : {}) });
  if (team) host.apply({ type: 'filesSeen', files: printsIn(result) });
  announce(host, host.apply({ type: 'finished', cellId, result }).changed);
  if (team) void host.lookAtFiles([cellId]);
  return { cellId, status: 'ready', cacheHit: true, result, executed: null, error: null, controls, team };
}

/** Everybody hears that the cell is idle, and then what holds of it: an earlier result may still be true. */
function stopped(host: RunHost, cellId: string, executed: Executed | null): CellOutcome {
  const { state, changed } = host.apply({ type: 'stopped', cellId });
  if (state.cells.get(cellId)?.status !== 'idle') host.broadcast('cell_status', { cell_id: cellId, status: 'idle' });
  announce(host, changed);
  return wasCancelled(cellId, executed);
}

export const wasCancelled = (cellId: string, executed: Executed | null): CellOutcome => ({
  cellId,
  status: 'cancelled',
  cacheHit: false,
  result: null,
  executed,
  error: 'Cancelled before it finished',
});

async function ended(
  host: RunHost,
  cellId: string,
  facts: CellFacts | undefined,
  executed: Executed,
): Promise<CellOutcome> {
  if (executed.run.outcome === 'cancelled') return stopped(host, cellId, executed);
  const advised = executed.run.outcome === 'success' ? await host.unkeptSeen(cellId, executed.run) : [];
  if (executed.result) {
    const { run, result, team } = executed;
    if (team) return found(host, cellId, result, team);
    host.broadcast('cell_output', outputPayload(cellId, run, result));
    host.apply({ type: 'filesSeen', files: printsIn(result) });
    announce(host, [...host.apply({ type: 'finished', cellId, result }).changed, ...advised]);
    // From now on they are watched.
    void host.lookAtFiles([cellId]);
    return { cellId, status: 'ready', cacheHit: false, result, executed, error: null };
  }
  const { stdout, stderr, suggestInstall: install } = executed.run;
  const failure = { text: executed.problem, sourceDigest: facts?.sourceDigest ?? '', stdout, stderr, install };
  await host.failed(cellId, failure);
  host.broadcast('cell_error', errorPayload(cellId, executed.run, executed.problem));
  announce(host, [...host.apply({ type: 'failed', cellId, failure }).changed, ...advised]);
  return { cellId, status: 'error', cacheHit: false, result: null, executed, error: executed.problem };
}

/** What a run has read, as it saw it; a file that was changed meanwhile makes its result one of before. */
const printsIn = ({ files = {}, wrote = {} }: KeptResult): ReadonlyMap<string, string> =>
  new Map(
    Object.entries({ ...files, ...wrote })
      .filter(([, print]) => print !== changedMeanwhile)
      .map(([file, { print }]) => [file, print]),
  );

export function announce(
  host: Pick<RunHost, 'session' | 'broadcast' | 'cellOrder' | 'adviceFor'>,
  changed: readonly string[],
): void {
  const looks = new Set(changed);
  for (const cellId of host.cellOrder()) {
    if (looks.has(cellId)) host.broadcast('cell_status', statusPayload(host.session(), cellId, host.adviceFor(cellId)));
  }
}
