// What the dispatcher must know after it was killed: the cells that it took, with their requests and results, and the
// workers that it started. A note is replaced in one step, and written before what it tells of is done.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { intoFile } from '../files/index.ts';
import type { CellNote } from './cell.ts';
import type { Resources } from './engine.ts';

export interface BatchNote {
  readonly batch: string;
  readonly count: number;
  readonly resources: Resources;
}

export interface Spool {
  /** Keeps the body of a request under a new id. */
  receive(body: AsyncIterable<Uint8Array>): Promise<string>;
  requestOf(id: string): string;
  bundleOf(id: string): string;
  save(note: CellNote): Promise<void>;
  drop(id: string): Promise<void>;
  cells(): Promise<CellNote[]>;
  saveBatch(note: BatchNote): Promise<void>;
  dropBatch(batch: string): Promise<void>;
  batches(): Promise<BatchNote[]>;
  /** What belongs to this dispatcher alone, made the first time. */
  secret(): Promise<string>;
  readonly logs: string;
  keep(name: string, value: unknown): Promise<void>;
  kept(name: string): Promise<unknown>;
}

export async function openSpool(folder: string): Promise<Spool> {
  const [cells, batches, logs] = ['cells', 'workers', 'logs'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  for (const made of [cells, batches, logs]) await fs.mkdir(made, { recursive: true, mode: 0o700 });
  const noteOf = (id: string): string => path.join(cells, id, 'note.json');
  const batchOf = (batch: string): string => path.join(batches, `${batch}.json`);

  return {
    logs,
    requestOf: (id) => path.join(cells, id, 'request'),
    bundleOf: (id) => path.join(cells, id, 'bundle.tar'),
    async receive(body) {
      const id = randomBytes(16).toString('hex');
      await fs.mkdir(path.join(cells, id));
      try {
        await pipeline(body, intoFile(path.join(cells, id, 'request'), { mode: 0o600 }));
      } catch (error) {
        await fs.rm(path.join(cells, id), { recursive: true, force: true });
        throw error;
      }
      return id;
    },
    save: (note) => replace(noteOf(note.id), note),
    drop: (id) => fs.rm(path.join(cells, id), { recursive: true, force: true }),
    async cells() {
      const notes: CellNote[] = [];
      for (const id of await fs.readdir(cells)) {
        const note = await readNote<CellNote>(noteOf(id));
        // One that was never answered for: its caller knows that it failed.
        if (note) notes.push(note);
        else await fs.rm(path.join(cells, id), { recursive: true, force: true });
      }
      return notes.sort((a, b) => a.receivedAt - b.receivedAt);
    },
    saveBatch: (note) => replace(batchOf(note.batch), note),
    dropBatch: (batch) => fs.rm(batchOf(batch), { force: true }),
    async batches() {
      const names = (await fs.readdir(batches)).filter((name) => name.endsWith('.json'));
      const notes = await Promise.all(names.map((name) => readNote<BatchNote>(path.join(batches, name))));
      return notes.filter((note) => note !== undefined);
    },
    async secret() {
      const file = path.join(folder, 'secret');
      await fs.writeFile(file, randomBytes(32).toString('hex'), { mode: 0o600, flag: 'wx' }).catch((error: unknown) => {
        if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
      });
      return fs.readFile(file, 'utf8');
    },
    keep: (name, value) => replace(path.join(folder, `${name}.json`), value),
    kept: (name) => readNote<unknown>(path.join(folder, `${name}.json`)),
  };
}

async function replace(file: string, value: unknown): Promise<void> {
  const temporary = `${file}.${randomBytes(4).toString('hex')}.tmp`;
  await fs.writeFile(temporary, JSON.stringify(value), { mode: 0o600 });
  await fs.rename(temporary, file);
}

async function readNote<T>(file: string): Promise<T | undefined> {
  try {
    return JSON.parse(await fs.readFile(file, 'utf8'));
  } catch {
    return undefined;
  }
}
