// The grammars of cells. Python is at hand, the others come when a cell asks for them.

import { pythonLanguage } from '@codemirror/lang-python';
import { type Language, StreamLanguage } from '@codemirror/language';
import { type CellLanguage, languageFacts } from '../../../src/cellLanguages.ts';

/** By what a language of cells says its grammar is. */
const known = new Map<string, Language>([['python', pythonLanguage]]);

const loaders: Readonly<Record<string, () => Promise<Language>>> = {
  javascript: async () => (await import('@codemirror/lang-javascript')).javascriptLanguage,
  markdown: async () => (await import('@codemirror/lang-markdown')).markdownLanguage,
  sql: async () => (await import('@codemirror/lang-sql')).StandardSQL.language,
  r: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/r')).r),
};

/** Undefined until it is loaded, and for plain text. */
export const grammarNow = (language: CellLanguage): Language | undefined =>
  known.get(languageFacts[language].grammar ?? '');

export async function loadGrammar(language: CellLanguage): Promise<Language | undefined> {
  const grammar = languageFacts[language].grammar ?? '';
  const loaded = known.get(grammar) ?? (await loaders[grammar]?.());
  if (loaded) known.set(grammar, loaded);
  return loaded;
}
