// Asks interpreters which version they are: one process for each real file, and none for a file that has answered before.
import fs from 'node:fs/promises';
import { askPython, newestFirst } from '../../scripts/setup/python.js';
import { type Answer, type InterpreterMemory, identityOf } from './interpreterMemory.ts';

export type Asked = NonNullable<Answer['python']>;

export interface Asking {
  /** Newest first. `again`: files that gave no answer are asked once more. */
  ask(files: readonly string[], options?: { readonly again: boolean }): Promise<readonly Asked[]>;
}

export function createAsking(memory: InterpreterMemory): Asking {
  const running = new Map<string, Promise<Answer['python']>>();

  async function askFile(file: string, real: string, seen: string): Promise<Answer['python']> {
    const said = await askPython(file);
    const python = said ? { ...said, seen: (await identityOf(said.command)) ?? '' } : null;
    // It is written to disk beside: who asked has the answer.
    void memory.add({ answers: { [real]: { seen, python } } });
    return python;
  }

  async function answerOf(file: string, again: boolean): Promise<Answer['python']> {
    const real = await fs.realpath(file).catch(() => undefined);
    const seen = real === undefined ? undefined : await identityOf(real);
    if (real === undefined || seen === undefined) return null;
    const known = (await memory.read()).answers[real];
    if (known?.seen === seen && (known.python === null ? !again : await isSame(known.python))) return known.python;
    const asked = running.get(real) ?? askFile(file, real, seen).finally(() => running.delete(real));
    running.set(real, asked);
    return asked;
  }

  return {
    async ask(files, { again } = { again: false }) {
      const answers = await Promise.all(files.map((file) => answerOf(file, again)));
      return answers.filter((python) => python !== null).sort(newestFirst);
    },
  };
}

/** What answered is still what stands there. */
export const isSame = async ({ command, seen }: Asked): Promise<boolean> => (await identityOf(command)) === seen;
