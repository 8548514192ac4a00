// Decides which cells are current. Starts from the cells that something happened to and follows the graph downwards, only
// as far as a verdict or a value really changed: an edit touches what it changes, however large the notebook is.
import { kindOf } from '../../cellLanguages.ts';
import { provenanceKey } from '../provenance/index.ts';
import { causalityOf } from './causality.ts';
import { baseKeyOf, resultUnder, stillHolds } from './files.ts';
import { inputValues } from './inputs.ts';
import { makersIn, makesOtherSettings, settingsUsers } from './settings.ts';
import { type CellFacts, type CellResult, type CellState, type SessionState, unknownCell } from './state.ts';

export interface Settled {
  readonly makers: readonly string[];
  readonly cells: ReadonlyMap<string, CellState>;
  /** Cells whose status, reasons or causality changed, in order of the graph. */
  readonly changed: readonly string[];
}

export function settle(session: SessionState, touched: Iterable<string>): Settled {
  const changed = new Set<string>();
  let settled = { ...session, cells: new Map(session.cells) };
  // Settings go down the notebook, not along the graph: whoever used them is looked at once more.
  for (let due = new Set(touched); due.size > 0; ) {
    const hasOtherSettings = settleAlong(settled, due, changed);
    due = new Set(hasOtherSettings ? settingsUsers(settled) : []);
    if (hasOtherSettings) settled = { ...settled, makers: makersIn(settled) };
  }
  return { cells: settled.cells, makers: settled.makers, changed: session.graph.order.filter((id) => changed.has(id)) };
}

/** Whether some cell makes other settings now. */
function settleAlong(
  session: SessionState & { cells: Map<string, CellState> },
  due: Set<string>,
  changed: Set<string>,
): boolean {
  let hasOtherSettings = false;
  for (const id of session.graph.order) {
    if (due.size === 0) break;
    if (!due.delete(id)) continue;
    const before = session.cells.get(id) ?? unknownCell;
    if (before.status === 'running') continue;
    const after = verdict(session, id, before);
    session.cells.set(id, after);
    if (!looksSame(before, after)) changed.add(id);
    if (makesOtherSettings(before, after)) hasOtherSettings = true;
    if (givesOtherValues(before, after)) for (const below of session.graph.downstream.get(id) ?? []) due.add(below);
  }
  return hasOtherSettings;
}

function verdict(session: SessionState, id: string, before: CellState): CellState {
  const facts = session.facts.get(id);
  if (!facts) return unknownCell;
  if (kindOf(facts.language) === 'text') return { ...unknownCell, status: 'ready', current: true };
  const failed = before.error !== null && before.error.sourceDigest === facts.sourceDigest;
  const error = failed ? before.error : null;
  const found = findResult(session, facts, before);
  if (found !== undefined && !failed) {
    return { status: 'ready', current: true, reasons: [], causality: null, result: found, error: null };
  }
  const hasRun = before.result !== null;
  const upstreamMoved = isUpstreamMoved(session, facts, before);
  const reasons: readonly 'upstream'[] = hasRun && upstreamMoved ? ['upstream'] : [];
  const status = failed ? 'error' : reasons.length > 0 ? 'stale' : 'idle';
  const cause = hasRun ? causalityOf(session, facts, before) : null;
  // Why it did not follow holds until somebody decides anew.
  const waits = before.causality?.waits;
  const causality = cause && waits ? { ...cause, waits } : cause;
  return { status, current: false, reasons, causality, result: before.result, error };
}

/** The kept result that belongs to the cell as it is now; undefined when something above it is not current. */
function findResult(session: SessionState, facts: CellFacts, before: CellState): CellResult | undefined {
  if (hasMovedUpstream(session, facts.id)) return undefined;
  const key = currentKey(session, facts);
  // A cell that is never served from the store still holds what it just computed.
  const { result: shown } = before;
  const isShownStill = shown !== null && baseKeyOf(shown) === key && stillHolds(session, facts.id, shown);
  const isServed = !facts.neverCached && key !== undefined;
  const found = isServed ? resultUnder(session, facts.id, key) : isShownStill ? shown : undefined;
  const result = found ?? (isHandedOver(session, facts, shown) ? shown : undefined);
  return result && facts.consumed.every((name) => Object.hasOwn(result.variables, name)) ? result : undefined;
}

/**
 * Whether the result that the cell shows is the one that came with the notebook, and nothing that can be known here speaks
 * against it: whoever was asked for it (a host, a model, a database) may not be there, and is asked when the cell runs.
 */
function isHandedOver(session: SessionState, facts: CellFacts, shown: CellResult | null): shown is CellResult {
  if (shown === null || session.handedOver.get(facts.id) !== shown.key) return false;
  if (shown.sourceDigest !== facts.sourceDigest || !stillHolds(session, facts.id, shown)) return false;
  const isAsked = kindOf(facts.language) === 'request';
  const isLookedAt = facts.asksOutside !== null && session.outside.get(facts.id)?.asked === facts.asksOutside;
  if (!isAsked && (isLookedAt || shown.environmentHash !== facts.environmentHash)) return false;
  const { values, complete } = inputValues(session, facts.id);
  const read = shown.inputs ?? {};
  return complete && values.entries().every(([name, { sha256 }]) => read[name]?.sha256 === sha256);
}

/** The key of the cell with the values that its upstream cells hold now, current or not; undefined when one is missing. */
export function currentKey(session: SessionState, facts: CellFacts): string | undefined {
  const { values, complete } = inputValues(session, facts.id);
  if (!complete) return undefined;
  const inputs = new Map([...values].map(([name, { sha256 }]) => [name, sha256]));
  const found = session.outside.get(facts.id);
  const outside = facts.asksOutside === null ? null : found?.asked === facts.asksOutside ? found.digest : undefined;
  if (outside === undefined) return undefined;
  return provenanceKey({ sourceDigest: facts.sourceDigest, environmentHash: facts.environmentHash, inputs, outside });
}

export const hasMovedUpstream = (session: SessionState, id: string): boolean =>
  (session.graph.wires.get(id) ?? []).some(({ from }) => !(session.cells.get(from)?.current ?? false));

/** Something above is not current, or gives other values to a cell that is itself unchanged. */
function isUpstreamMoved(session: SessionState, facts: CellFacts, { result }: CellState): boolean {
  if (hasMovedUpstream(session, facts.id)) return true;
  const itself = result?.sourceDigest === facts.sourceDigest && result.environmentHash === facts.environmentHash;
  return itself && (baseKeyOf(result) !== currentKey(session, facts) || !stillHolds(session, facts.id, result));
}

const looksSame = (a: CellState, b: CellState): boolean =>
  a.status === b.status &&
  a.reasons.length === b.reasons.length &&
  JSON.stringify(a.causality) === JSON.stringify(b.causality);

const givesOtherValues = (a: CellState, b: CellState): boolean => a.current !== b.current || a.result !== b.result;
