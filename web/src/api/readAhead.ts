// The state of a notebook is asked for while the code of its page is still loading.
import type { NotebookState } from '../../../src/protocol/index.ts';
import { readSession } from './notebooks.ts';

let ahead: { readonly sessionId: string; readonly state: Promise<NotebookState> } | undefined;

export function readAhead(sessionId: string): void {
  ahead = { sessionId, state: readSession(sessionId) };
  // Whoever takes it hears of a failure; until then nobody else needs to.
  ahead.state.catch(() => {});
}

/** What was read ahead serves once: later it would be old. */
export function readSessionOnce(sessionId: string): Promise<NotebookState> {
  const known = ahead?.sessionId === sessionId ? ahead.state : readSession(sessionId);
  ahead = undefined;
  return known;
}
