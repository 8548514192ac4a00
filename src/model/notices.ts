// Short messages that go away by themselves.
import type { NotebookModel } from './model.ts';

const shownAtOnce = 4;

export function noticed(
  model: NotebookModel,
  text: string,
  tone: 'plain' | 'error',
  command: string | null = null,
): NotebookModel {
  const id = (model.notices.at(-1)?.id ?? 0) + 1;
  // What is said again stands once, as the newest.
  const others = model.notices.filter((one) => one.text !== text || one.tone !== tone);
  return { ...model, notices: [...others.slice(1 - shownAtOnce), { id, text, tone, command }] };
}
