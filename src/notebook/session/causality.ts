// Why a cell is not current, in a form that clients put into words. Only cells that ran have a cause.
import type { Causality, CauseDetail, CellFacts, CellState, SessionState } from './state.ts';

export function causalityOf(session: SessionState, facts: CellFacts, { result }: CellState): Causality | null {
  if (!result) return null;
  const inputs = changedInputs(session, facts.id);
  if (inputs.length > 0) return { reason: 'upstream', details: inputs };
  const details: CauseDetail[] = [];
  if (result.environmentHash !== facts.environmentHash) details.push({ type: 'env_changed', package: 'notebook env' });
  if (result.sourceDigest !== facts.sourceDigest || details.length === 0) {
    details.push({ type: 'source_changed', cell_id: facts.id, cell_name: facts.name });
  }
  return { reason: details.every(({ type }) => type === 'env_changed') ? 'env' : 'self', details };
}

function changedInputs(session: SessionState, id: string): CauseDetail[] {
  const moved = (session.graph.wires.get(id) ?? []).filter(({ from }) => !(session.cells.get(from)?.current ?? false));
  return [...new Set(moved.map(({ from }) => from))].map((from) => ({
    type: 'input_changed',
    cell_id: from,
    cell_name: session.facts.get(from)?.name ?? from,
  }));
}
