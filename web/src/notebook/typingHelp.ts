// Whether a model may go on with what somebody types. It is switched on by the person, in this browser, and for the host that is asked:
// a notebook that names another is asked for anew.

import { browserKept } from '../ui/kept.ts';
import type { NotebookSession } from './session.ts';

const key = (host: string): string => `svc.typing:${host}`;

/** The model that goes on with what is typed here; null where there is none, or nobody has switched it on. */
export function typingModel({ assistant, isReadOnly }: NotebookSession): string | null {
  const { model, host } = assistant.get();
  return !isReadOnly && host !== null && browserKept.getItem(key(host)) === 'on' ? model : null;
}

export function switchTypingModel(session: NotebookSession): void {
  const { model, host } = session.assistant.get();
  if (model === null || host === null) return;
  const isOn = typingModel(session) !== null;
  if (isOn) browserKept.removeItem(key(host));
  else browserKept.setItem(key(host), 'on');
  const text = isOn
    ? `${model} no longer goes on with what you type.`
    : `When you pause, ${model} at ${host} is sent the cell that you type in, and names, types and columns of the others; never values. Tab takes what it suggests, Escape discards it.`;
  session.store.send({ kind: 'noticed', text, tone: 'plain' });
}

/** It could not answer: it is not asked again and again. */
export function stopTypingModel(session: NotebookSession, reason: string): void {
  const { model, host } = session.assistant.get();
  if (host !== null) browserKept.removeItem(key(host));
  const text = `${reason} ${model ?? 'The model'} is not asked while you type any more, until you switch it on again.`;
  session.store.send({ kind: 'noticed', text, tone: 'error' });
}
