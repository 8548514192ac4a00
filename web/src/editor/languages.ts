// The grammars of cells. Python is at hand, the others come when a cell asks for them.
import { pythonLanguage } from '@codemirror/lang-python';
import { type Language, StreamLanguage } from '@codemirror/language';
import type { Language as CellLanguage } from '../state/index.ts';

const known = new Map<CellLanguage, Language>([
  ['python', pythonLanguage],
  ['widget', pythonLanguage],
]);

const loaders: Partial<Record<CellLanguage, () => Promise<Language>>> = {
  markdown: async () => (await import('@codemirror/lang-markdown')).markdownLanguage,
  sql: async () => (await import('@codemirror/lang-sql')).StandardSQL.language,
  r: async () => StreamLanguage.define((await import('@codemirror/legacy-modes/mode/r')).r),
};

/** Undefined until it is loaded, and for plain text. */
export const grammarNow = (language: CellLanguage): Language | undefined => known.get(language);

export async function loadGrammar(language: CellLanguage): Promise<Language | undefined> {
  const loaded = known.get(language) ?? (await loaders[language]?.());
  if (loaded) known.set(language, loaded);
  return loaded;
}
