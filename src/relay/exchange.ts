// Where workers dial in that share nothing with their dispatcher but a file system: a folder a worker, made before it is started.
// Whoever dials makes the files of a new connection there and then writes its name into the file `dial`.
import { randomBytes } from 'node:crypto';
import { closeSync, constants, openSync, writeFileSync, writeSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { bytesFrom, type LineEnds, openFileLine } from './fileLine.ts';

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
  readonly lines: Set<Duplex>;
  /** How much of `dial` has been read. */
  at: number;
  /** How many rounds it is not looked at, and how many of them are left. */
  rests: number;
  left: number;
}

const dialFile = 'dial';
const lookMilliseconds = 100;
/** A dispatcher follows many workers, a worker one dispatcher. */
const longestPauses = { ofTaker: 100, ofDialler: 50 };
/** A worker that has a connection seldom wants another one. */
const mostRests = 8;
const nameBytes = 8;
const isName = new RegExp(`^[0-9a-f]{${nameBytes * 2}}$`);

export async function openExchange(folder: string, onConnection: (line: Duplex) => void): Promise<Exchange> {
  await fs.mkdir(folder, { recursive: true, mode: 0o700 });
  const places = new Map<string, Place>();
  const stopping = new AbortController();

  function open({ folder: own, lines }: Place, name: string): void {
    const line = openFileLine(endsOf(own, name).ofTaker, longestPauses.ofTaker);
    lines.add(line);
    line.on('error', () => {});
    line.on('close', () => lines.delete(line));
    onConnection(line);
  }

  async function serve(place: Place): Promise<void> {
    const said = (await bytesFrom(path.join(place.folder, dialFile), place.at)).toString('latin1');
    const whole = said.slice(0, said.lastIndexOf('\n') + 1);
    place.at += whole.length;
    place.rests = whole === '' && place.lines.size > 0 ? Math.min(place.rests + 1, mostRests) : 0;
    place.left = place.rests;
    for (const name of whole.split('\n')) if (isName.test(name)) open(place, name);
  }

  async function follow(): Promise<void> {
    while (!stopping.signal.aborted) {
      for (const place of places.values())
        if (place.left > 0) place.left -= 1;
        // One that is gone meanwhile was forgotten.
        else await serve(place).catch(() => {});
      await pause(lookMilliseconds, undefined, { signal: stopping.signal }).catch(() => {});
    }
  }

  void follow();
  return {
    async expect(names) {
      for (const name of names) {
        const own = path.join(folder, name);
        await fs.mkdir(own, { mode: 0o700, recursive: true });
        for (const left of await fs.readdir(own))
          if (left !== dialFile) await fs.rm(path.join(own, left), { force: true });
        const dial = path.join(own, dialFile);
        await fs.appendFile(dial, '', { mode: 0o600 });
        const { size: at } = await fs.stat(dial);
        places.set(name, { folder: own, lines: new Set(), at, rests: 0, left: 0 });
      }
    },
    async forget(name) {
      const place = places.get(name);
      places.delete(name);
      for (const line of place?.lines ?? []) line.destroy();
      await fs.rm(path.join(folder, name), { recursive: true, force: true, maxRetries: 3 });
    },
    async keepOnly(names) {
      const kept = new Set(names);
      for (const name of await fs.readdir(folder))
        if (!kept.has(name)) await fs.rm(path.join(folder, name), { recursive: true, force: true });
    },
    close() {
      stopping.abort();
      for (const { lines } of places.values()) for (const line of lines) line.destroy();
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
  return openFileLine(ends, longestPauses.ofDialler);
}

function endsOf(folder: string, name: string): Record<'ofDialler' | 'ofTaker', LineEnds> {
  const up = path.join(folder, `${name}.up`);
  const down = path.join(folder, `${name}.down`);
  return { ofDialler: { reads: down, writes: up }, ofTaker: { reads: up, writes: down } };
}
