// Languages whose cells are kept and shown, but cannot be run by this server.
import type { CellLanguage } from '../document/index.ts';
import { CellRefused, type Language } from './language.ts';
import { noNames, textDigest } from './sourceDigest.ts';

export const unavailableLanguage = (language: CellLanguage): Language => ({
  read: async (cells) => cells.map(({ source }) => ({ names: noNames, digest: textDigest(source) })),
  async engage() {
    throw new CellRefused('LanguageNotSupported', `Cells in ${language} cannot be run here.`);
  },
});
