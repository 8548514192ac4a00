// Markdown cells are text: they have no names and no result, and running one is done at once.
import { succeededRun } from '../../runtimes/index.ts';
import type { Language } from './language.ts';
import { noNames, textDigest } from './sourceDigest.ts';

export const markdownLanguage: Language = {
  read: async (cells) => cells.map(({ source }) => ({ names: noNames, digest: textDigest(source) })),
  engage: async () => ({ run: async () => succeededRun({ executionMethod: 'cached' }) }),
};
