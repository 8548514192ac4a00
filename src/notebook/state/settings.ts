// Settings that cells share: a cell gets what the cells above it, in the order of the notebook, last made of them.
import type { CellResult, CellState, SessionState } from './state.ts';

type Made = NonNullable<CellResult['settingsMade']>;

interface MadeBy {
  readonly maker: string;
  readonly made: Made;
  readonly isCurrent: boolean;
}

/** What the cells above this one made of settings, as they stand: current or not, they are what has been run. */
export function settingsAbove(session: SessionState, cellId: string): Made {
  const found: Record<string, Made[string]> = {};
  for (const { made } of madeAbove(session, cellId)) Object.assign(found, made);
  return found;
}

function* madeAbove({ makers, cells, facts }: SessionState, cellId: string): Iterable<MadeBy> {
  if (makers.length === 0) return;
  const places = placesIn(facts);
  const here = places.get(cellId) ?? 0;
  for (const maker of makers) {
    if ((places.get(maker) ?? 0) >= here) return;
    const { result, current = false } = cells.get(maker) ?? {};
    yield { maker, made: result?.settingsMade ?? {}, isCurrent: current };
  }
}

/** Settings of which a result has used something else than a run would find now, or will find when cells above have run. */
export function changedSettings(session: SessionState, cellId: string, { settingsUsed }: CellResult): string[] {
  if (settingsUsed === undefined) return [];
  const now = new Map<string, string | null>();
  for (const { made, isCurrent } of madeAbove(session, cellId))
    for (const [name, { digest }] of Object.entries(made)) now.set(name, isCurrent ? digest : 'not current');
  return Object.entries(settingsUsed)
    .filter(([name, digest]) => (now.get(name) ?? null) !== digest)
    .map(([name]) => name);
}

/** The cells above that made the settings which this one last used. */
export function settingMakers(session: SessionState, cellId: string): string[] {
  const { settingsUsed = {} } = session.cells.get(cellId)?.result ?? {};
  const found = new Map<string, string>();
  for (const { maker, made } of madeAbove(session, cellId))
    for (const name of Object.keys(made)) if (Object.hasOwn(settingsUsed, name)) found.set(name, maker);
  return [...new Set(found.values())];
}

/** Whether cells below find other settings than before. */
export const makesOtherSettings = (before: CellState, after: CellState): boolean =>
  (before.result !== after.result || before.current !== after.current) && digestsOf(before) !== digestsOf(after);

const digestsOf = ({ result, current }: CellState): string =>
  Object.entries(result?.settingsMade ?? {})
    .map(([name, { digest }]) => `${name}=${digest}=${current}`)
    .join();

export const makersIn = ({ facts, cells }: Pick<SessionState, 'facts' | 'cells'>): string[] =>
  [...facts.keys()].filter((id) => cells.get(id)?.result?.settingsMade !== undefined);

/** Cells of which some result has used settings. */
export const settingsUsers = ({ results }: SessionState): string[] =>
  [...results]
    .filter(([, kept]) => kept.values().some((result) => result.settingsUsed !== undefined))
    .map(([id]) => id);

const known = new WeakMap<SessionState['facts'], ReadonlyMap<string, number>>();

/** Facts stand in the order of the notebook. */
function placesIn(facts: SessionState['facts']): ReadonlyMap<string, number> {
  const places = known.get(facts) ?? new Map([...facts.keys()].map((id, index) => [id, index]));
  known.set(facts, places);
  return places;
}
