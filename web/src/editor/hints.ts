// What stands in a cell that is still empty.
import type { Language } from '../state/index.ts';

export const emptyHints: Readonly<Record<Language, string>> = {
  python: 'Write Python; Shift+Enter runs it',
  sql: 'Write a query; Shift+Enter runs it',
  r: 'Write R; Shift+Enter runs it',
  markdown: 'Write a note in Markdown',
  prompt: 'Write what a model is to answer; {{ name }} puts a variable in',
  widget: 'alpha = slider(0, 10)',
};
