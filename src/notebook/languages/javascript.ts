// JavaScript cells: read here, run by a Node of their own on this machine.
import { createHash } from 'node:crypto';
import type { CellUser, JavaScriptParts as RunParts } from '../../runtimes/index.ts';
import { CellRefused, type Language, refusePythonInputs } from './language.ts';
import { noNames } from './sourceDigest.ts';

export interface JavaScriptLanguageParts extends Omit<RunParts, 'user'> {
  readonly mayRunHere: boolean;
  /** Who runs cells; undefined: the server's own user. */
  readonly user: () => Promise<CellUser | undefined>;
  readonly outside: NonNullable<Language['outside']>;
}

export function javascriptLanguage({ mayRunHere, user, outside, ...parts }: JavaScriptLanguageParts): Language {
  return {
    outside: {
      ...outside,
      look(work, options) {
        refusePythonInputs(work, 'JavaScript');
        return outside.look(work, options);
      },
    },

    async read(cells) {
      // A parser that most notebooks do without.
      const { readJavaScript } = await import('../../runtimes/javascript/source.ts');
      return cells.map(({ source }) => {
        const { defines, references, builtinReferences, code, error } = readJavaScript(source);
        const digest = createHash('sha256').update(code).digest('hex');
        return { names: { ...noNames, defines, references, builtinReferences }, digest, isBroken: error !== null };
      });
    },

    // What it imports is among the files that it read.
    environment: (_notebook, _annotations, env) =>
      `javascript\0${process.versions.node.split('.')[0]}\0${JSON.stringify(Object.entries(env).sort())}`,

    async engage(work) {
      if (!mayRunHere) throw new CellRefused('LocalCellsRefused', 'This server runs no JavaScript cells by itself.');
      if (work.annotations.worker !== null)
        throw new CellRefused(
          'OnlyHere',
          'JavaScript cells run on the machine of the server alone: take the @worker away.',
        );
      refusePythonInputs(work, 'JavaScript');
      const { runJavaScriptCell } = await import('../../runtimes/javascript/javascriptRuntime.ts');
      const runsAs = await user();
      return { run: (job, onEvent, signal) => runJavaScriptCell({ ...parts, user: runsAs }, job, onEvent, signal) };
    },
  };
}
