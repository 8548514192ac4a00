// The interpreters that are really installed on this machine, newest first. uv alone would miss some places and then try
// to download one; so both our list and uv's are taken, and uv is always told which to use. What lies in folders that we
// know is looked at before anybody gets an answer; what only others know of is asked for beside, and remembered.
import { createHash } from 'node:crypto';
import path from 'node:path';
import { interpretersHere, type Machine, thisMachine } from '../../scripts/setup/interpreters.js';
import { tools } from '../../scripts/setup/places.js';
import { type Asked, createAsking, isSame } from './askInterpreters.ts';
import { type InterpreterMemory, openInterpreterMemory } from './interpreterMemory.ts';
import { toldInterpreters } from './toldInterpreters.ts';

export interface InstalledPython {
  /** `3.13` */
  readonly version: string;
  /** `3.13.1` */
  readonly fullVersion: string;
  readonly command: string;
}

/** One interpreter for each minor version. When none is `wanted`, the whole machine is searched before it answers. */
export type FindPythons = (wanted?: (python: InstalledPython) => boolean) => Promise<readonly InstalledPython[]>;

export interface Pythons {
  readonly find: FindPythons;
  /** Looks at the folders now, and from now on at everything beside its answers: for a server, which lives on. */
  keepFresh(): void;
  close(): void;
}

export interface PythonParts {
  readonly uv: () => string | undefined;
  readonly memory?: InterpreterMemory;
  readonly machine?: Machine;
}

/** A look that is not older is as good as a new one. */
const freshMilliseconds = 5_000;
/** How long holds what others told. */
const toldMilliseconds = 86_400_000;
/** How soon those who did not answer are asked again. */
const retryMilliseconds = 3_600_000;

export function createPythons({
  uv,
  memory = openInterpreterMemory(path.join(tools, 'interpreters.json')),
  machine = thisMachine,
}: PythonParts): Pythons {
  const asking = createAsking(memory);
  const stop = new AbortController();
  let found: { readonly at: number; readonly pythons: readonly Asked[] } | undefined;
  let searched: { readonly at: number; readonly pythons: Promise<readonly Asked[]> } | undefined;
  let first: Promise<readonly Asked[]> | undefined;
  let isRenewing = false;
  let isKeptFresh = false;

  /** Whom to ask beside the folders: where that changes, so do the answers. */
  function others(): string {
    const { PATH, HOME, UV_PYTHON_INSTALL_DIR, PYENV_VERSION } = machine.env;
    const question = JSON.stringify([uv(), PATH, HOME, UV_PYTHON_INSTALL_DIR, PYENV_VERSION]);
    return createHash('sha256').update(question).digest('hex').slice(0, 16);
  }

  async function searchNow(options = { again: false }): Promise<readonly Asked[]> {
    const at = performance.now();
    const [{ files }, { told }] = await Promise.all([interpretersHere(machine), memory.read()]);
    const [near, far] = await Promise.all([
      asking.ask(files, options),
      asking.ask(told[others()]?.files ?? [], options),
    ]);
    found = { at, pythons: [...near, ...far] };
    return found.pythons;
  }

  async function search(): Promise<readonly Asked[]> {
    const files = await toldInterpreters({ uv: uv(), machine, signal: stop.signal });
    if (files && !stop.signal.aborted)
      await memory.add({ told: { [others()]: { at: Date.now(), files: [...files] } } });
    return searchNow({ again: true });
  }

  /** Those who ask together are answered together. */
  function searchOnce(): Promise<readonly Asked[]> {
    if (searched === undefined || performance.now() - searched.at > freshMilliseconds) {
      const pythons = search().finally(() => {
        searched = { at: performance.now(), pythons };
      });
      searched = { at: Number.POSITIVE_INFINITY, pythons };
    }
    return searched.pythons;
  }

  async function known(): Promise<readonly Asked[]> {
    first ??= searchNow();
    await first;
    const pythons = found?.pythons ?? [];
    // One that was removed is offered no more, and one that was replaced is asked what it is now.
    return (await Promise.all(pythons.map(isSame))).every(Boolean) ? pythons : searchNow();
  }

  async function renew(): Promise<void> {
    if (found && performance.now() - found.at > freshMilliseconds) await searchNow();
    const at = (await memory.read()).told[others()]?.at ?? 0;
    const isDue = searched === undefined || performance.now() - searched.at > retryMilliseconds;
    if (isDue && Math.abs(Date.now() - at) > toldMilliseconds) await searchOnce();
  }

  function renewBeside(): void {
    if (!isKeptFresh || isRenewing) return;
    isRenewing = true;
    void renew().finally(() => {
      isRenewing = false;
    });
  }

  return {
    async find(wanted = () => true) {
      const here = eachVersion(await known());
      if (here.some(wanted)) {
        renewBeside();
        return here;
      }
      await searchOnce();
      return eachVersion(await known());
    },
    keepFresh() {
      isKeptFresh = true;
      void known();
    },
    close() {
      isKeptFresh = false;
      stop.abort();
    },
  };
}

function eachVersion(pythons: readonly Asked[]): InstalledPython[] {
  const found = new Map<string, InstalledPython>();
  for (const {
    command,
    version: [major, minor, patch],
  } of pythons) {
    const version = `${major}.${minor}`;
    if (!found.has(version)) found.set(version, { version, fullVersion: `${version}.${patch}`, command });
  }
  return [...found.values()].sort((a, b) => minorNumber(b) - minorNumber(a));
}

const minorNumber = ({ version }: InstalledPython): number => Number(version.split('.')[1]);
