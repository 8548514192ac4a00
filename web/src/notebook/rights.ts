// What whoever looks at the page may do with the notebook: what the server would refuse them is not offered.
import { lackOf } from '../../../src/model/notAllowed.ts';
import { isSwitchedOff, lacks, type NeededScope, useAsker } from '../scopes.ts';
import type { Command } from './command.ts';
import { useNotebook } from './context.ts';
import type { NotebookSession } from './session.ts';

const switchedOff =
  'This server keeps and publishes no results outside of notebooks. Whoever runs it switches that on with SVC_SERVICE_WRITES_ENABLED.';

/** What keeps them from it, in words; null where nothing does. */
export function objectionTo({ isReadOnly }: NotebookSession, needs: NeededScope): string | null {
  if (isSwitchedOff(needs)) return switchedOff;
  // Whoever may only read sees every notebook as a viewer, with their own key, too.
  if (lacks(needs)) return lackOf(needs);
  return isReadOnly ? 'You see this notebook as a viewer. Open it with your own key to change it.' : null;
}

export const useObjection = (needs: NeededScope): string | null => useObjectionIn(useNotebook(), needs);

export function useObjectionIn(session: NotebookSession, needs: NeededScope): string | null {
  useAsker(); // what they may do is known a moment after the page is there
  return objectionTo(session, needs);
}

export const isTheirs = (session: NotebookSession, { needs }: Command): boolean =>
  needs === undefined || objectionTo(session, needs) === null;

/** Whether the command is shown. */
export const isOffered = (session: NotebookSession, command: Command): boolean =>
  isTheirs(session, command) && !command.isOff?.(session);

/** For keys, which are known by heart: what is not theirs to do is said, and the server is not asked. */
export function isRefused(session: NotebookSession, needs: NeededScope | undefined): boolean {
  const objection = needs === undefined ? null : objectionTo(session, needs);
  if (objection === null) return false;
  const text = `Not done: ${objection.charAt(0).toLowerCase()}${objection.slice(1)}`;
  session.store.send({ kind: 'noticed', text, tone: 'error' });
  return true;
}
