// What interpreters of this machine said of themselves, kept for the next start: an answer holds as long as the file that
// gave it is the same. A memory that cannot be read is an empty one, and one that cannot be written costs only time.
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { readIfThere, replaceFile } from './files.ts';

const schema = z.object({
  /** By real path. */
  answers: z.record(
    z.string(),
    z.object({
      seen: z.string(),
      /** Null where the file is no interpreter for notebooks. `seen`: what stood at `command` when it answered. */
      python: z
        .object({ command: z.string(), seen: z.string(), version: z.tuple([z.int(), z.int(), z.int()]) })
        .nullable(),
    }),
  ),
  /** What others told us of, by what was asked: it takes them a second. */
  told: z.record(z.string(), z.object({ at: z.number(), files: z.array(z.string()) })),
});

export type Remembered = z.infer<typeof schema>;
export type Answer = Remembered['answers'][string];

export interface InterpreterMemory {
  read(): Promise<Remembered>;
  /** Resolves when it is on disk. */
  add(more: Partial<Remembered>): Promise<void>;
}

const keptQuestions = 8;
const nothing: Remembered = { answers: {}, told: {} };

export function openInterpreterMemory(file: string): InterpreterMemory {
  let kept: Promise<Remembered> | undefined;
  let waiting = nothing;
  let written: Promise<void> = Promise.resolve();

  const read = (): Promise<Remembered> => {
    kept ??= readFrom(file);
    return kept;
  };

  /** Answers that come together are written together. */
  async function writeWaiting(): Promise<void> {
    const more = waiting;
    if (more === nothing) return;
    waiting = nothing;
    // Another server may have written meanwhile.
    const all = joined(await readFrom(file), more);
    await fs.mkdir(path.dirname(file), { recursive: true });
    await replaceFile(file, `${JSON.stringify({ ...all, answers: await ofFilesThere(all.answers) }, null, 2)}\n`);
  }

  return {
    read,
    async add(more) {
      kept = read().then((before) => joined(before, more));
      waiting = joined(waiting, more);
      written = written.then(writeWaiting).catch(() => {});
      await Promise.all([kept, written]);
    },
  };
}

async function readFrom(file: string): Promise<Remembered> {
  try {
    return schema.parse(JSON.parse(String(await readIfThere(file))));
  } catch {
    return nothing;
  }
}

function joined(before: Remembered, { answers, told }: Partial<Remembered>): Remembered {
  const questions = Object.entries({ ...before.told, ...told }).sort(([, a], [, b]) => b.at - a.at);
  return {
    answers: { ...before.answers, ...answers },
    told: Object.fromEntries(questions.slice(0, keptQuestions)),
  };
}

async function ofFilesThere(answers: Remembered['answers']): Promise<Remembered['answers']> {
  const entries = await Promise.all(
    Object.entries(answers).map(async (entry) => ((await identityOf(entry[0])) === undefined ? [] : [entry])),
  );
  return Object.fromEntries(entries.flat());
}

/** Differs when another file stands there; undefined when none does. */
export async function identityOf(file: string): Promise<string | undefined> {
  const found = await fs.stat(file).catch(() => undefined);
  return found && `${found.ino} ${found.size} ${found.mtimeMs}`;
}
