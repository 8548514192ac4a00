// Why a cell is not current, in a form that clients put into words. Only cells that ran have a cause.

import { changedFiles } from './files.ts';
import { inputValues } from './inputs.ts';
import { changedSettings } from './settings.ts';
import type { Causality, CauseDetail, CellFacts, CellResult, CellState, SessionState } from './state.ts';

export function causalityOf(session: SessionState, facts: CellFacts, { result }: CellState): Causality | null {
  if (!result) return null;
  const moved = movedCells(session, facts.id);
  if (moved.length > 0) return { reason: 'upstream', details: moved };
  const details: CauseDetail[] = [];
  if (result.environmentHash !== facts.environmentHash) details.push({ type: 'env_changed', package: 'notebook env' });
  if (result.sourceDigest !== facts.sourceDigest) details.push(sourceChanged(facts));
  if (details.length === 0) {
    const files = changedFiles(session, facts.id, result).map((file): CauseDetail => ({ type: 'file_changed', file }));
    const settings = changedSettings(session, facts.id, result).map(
      (setting): CauseDetail => ({ type: 'setting_changed', setting }),
    );
    const others = [...otherValues(session, facts.id, result), ...files, ...settings];
    if (others.length > 0) return { reason: 'upstream', details: others };
    const isUnkept = facts.consumed.some((name) => !Object.hasOwn(result.variables, name));
    details.push({ ...sourceChanged(facts), ...(isUnkept ? { unkept: true } : {}) });
  }
  return { reason: details.every(({ type }) => type === 'env_changed') ? 'env' : 'self', details };
}

const sourceChanged = ({ id, name }: CellFacts): CauseDetail => ({
  type: 'source_changed',
  cell_id: id,
  cell_name: name,
});

/** Cells above that are not current themselves. */
function movedCells(session: SessionState, id: string): CauseDetail[] {
  const moved = (session.graph.wires.get(id) ?? []).filter(({ from }) => !(session.cells.get(from)?.current ?? false));
  return [...new Set(moved.map(({ from }) => from))].map((from) => inputChanged(session, from));
}

/** Cells above that are current and give other values than the ones that were read. */
function otherValues(session: SessionState, id: string, { inputs = {} }: CellResult): CauseDetail[] {
  const { values } = inputValues(session, id);
  const details = new Map<string, CauseDetail>();
  for (const { from, variable } of session.graph.wires.get(id) ?? []) {
    const [before, now] = [inputs[variable], values.get(variable)];
    if (!now || before?.sha256 === now.sha256 || details.has(from)) continue;
    details.set(from, { ...inputChanged(session, from), ...versions(before?.uri, now.uri) });
  }
  return [...details.values()];
}

const inputChanged = (session: SessionState, from: string): CauseDetail => ({
  type: 'input_changed',
  cell_id: from,
  cell_name: session.facts.get(from)?.name ?? from,
});

function versions(before: string | undefined, now: string): Pick<CauseDetail, 'from_version' | 'to_version'> {
  const [from_version, to_version] = [versionOf(before), versionOf(now)];
  return {
    ...(from_version === undefined ? {} : { from_version }),
    ...(to_version === undefined ? {} : { to_version }),
  };
}

/** Values of a swept group have no address, and so no version. */
function versionOf(uri: string | undefined): number | undefined {
  const found = /@v=(\d+)$/.exec(uri ?? '')?.[1];
  return found === undefined ? undefined : Number(found);
}
