// Where workers dial in that share nothing with their dispatcher but a file system: a folder a worker, made before it is started.
// Whoever dials makes the files of a new connection there and then writes its name into the file `dial`.
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, writeFileSync, writeSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type LineEnds, openFileLine } from './fileLine.ts';

export interface Exchange {
  /** Workers of these names may dial. What they had with a dispatcher before is over: they dial again. */
  expect(names: readonly string[]): Promise<void>;
  forget(name: string): Promise<void>;
  /** Removes the folders of all others. */
  keepOnly(names: readonly string[]): Promise<void>;
  close(): void;
}

interface Place {
  readonly folder: string;
  /** How much of `dial` has been read. */
  at: number;
  line: Duplex | undefined;
}

const dialFile = 'dial';
const lookMilliseconds = 100;
const longestPause = 100;
const nameBytes = 8;

export async function openExchange(folder: string, onConnection: (line: Duplex) => void): Promise<Exchange> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const places = new Map<string, Place>();
  const stopping = new AbortController();

  async function look(place: Place): Promise<void> {
    const said = (await fs.readFile(path.join(place.folder, dialFile))).subarray(place.at).toString('latin1');
    const whole = said.slice(0, said.lastIndexOf('\n') + 1);
    place.at += whole.length;
    // Whoever dials anew has given up what it dialled before.
    const name = whole.trimEnd().split('\n').at(-1) ?? '';
    if (!new RegExp(`^[0-9a-f]{${nameBytes * 2}}$`).test(name)) return;
    const line = openFileLine(endsOf(place.folder, name).ofTaker, longestPause);
    place.line = line;
    line.on('error', () => {});
    line.on('close', () => {
      place.line = undefined;
    });
    onConnection(line);
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      // One that is gone meanwhile was forgotten.
      for (const place of places.values()) if (!place.line) await look(place).catch(() => {});
      await pause(lookMilliseconds, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  void follow();
  return {
    async expect(names) {
      for (const name of names) {
        const own = path.join(folder, name);
        await fs.mkdir(own, { mode: 0o700, recursive: true });
        for (const left of await fs.readdir(own)) if (left !== dialFile) await fs.rm(path.join(own, left));
        const dial = path.join(own, dialFile);
        await fs.appendFile(dial, '', { mode: 0o600 });
        places.set(name, { folder: own, at: (await fs.stat(dial)).size, line: undefined });
      }
    },
    async forget(name) {
      const place = places.get(name);
      places.delete(name);
      place?.line?.destroy();
      await fs.rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 3 });
    },
    async keepOnly(names) {
      const kept = new Set(names);
      for (const name of await fs.readdir(folder))
        if (!kept.has(name)) await fs.rm(path.join(folder, name), { recursive: true, force: true });
    },
    close() {
      stopping.abort();
      for (const { line } of places.values()) line?.destroy();
    },
  };
}

/** Throws where nobody expects whoever dials here. */
export function dialThroughFiles(folder: string): Duplex {
  const name = randomBytes(nameBytes).toString('hex');
  const { ofDialler: ends } = endsOf(folder, name);
  for (const base of [ends.reads, ends.writes]) writeFileSync(`${base}.0`, '', { flag: 'wx', mode: 0o600 });
  const dial = openSync(path.join(folder, dialFile), constants.O_WRONLY | constants.O_APPEND);
  writeSync(dial, `${name}\n`);
  closeSync(dial);
  return openFileLine(ends, longestPause);
}

function endsOf(folder: string, name: string): Record<'ofDialler' | 'ofTaker', LineEnds> {
  const up = path.join(folder, `${name}.up`);
  const down = path.join(folder, `${name}.down`);
  return { ofDialler: { reads: down, writes: up }, ofTaker: { reads: up, writes: down } };
}
