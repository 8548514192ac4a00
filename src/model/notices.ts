// Short messages that go away by themselves.
import type { NotebookModel } from './model.ts';

const shownAtOnce = 4;

export function noticed(model: NotebookModel, text: string, tone: 'plain' | 'error'): NotebookModel {
  const id = (model.notices.at(-1)?.id ?? 0) + 1;
  return { ...model, notices: [...model.notices.slice(1 - shownAtOnce), { id, text, tone }] };
}
