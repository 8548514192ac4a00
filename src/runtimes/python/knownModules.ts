// What is known of the modules of one environment: which come into use with which packages, what was seen when they were
// loaded ahead, and whether a process may be forked afterwards. Kept in a file of the environment, across restarts.

import { readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { makeInside } from '../../files/index.ts';
import { rootOf } from './imports.ts';
import { type Observed, observedSchema, type Unfit } from './messages.ts';
import { standardLibrary } from './standardLibrary.ts';

/** fork: loaded before cell processes are forked. spare: only in interpreters that were started afresh. never: by cells. */
const verdictSchema = z.enum(['fork', 'spare', 'never']);

const moduleSchema = z.object({
  name: z.string(),
  /** Packages that cells named when they came to load it. */
  with: z.array(z.string()),
  verdict: verdictSchema,
  why: z.string().optional(),
  seen: observedSchema.omit({ name: true }).optional(),
});
export type KnownModule = z.infer<typeof moduleSchema>;

const fileSchema = z.object({ version: z.literal(1), stamp: z.string(), modules: z.array(moduleSchema) });

/** What most packages bring along: loaded by itself, it lies by itself, and a cell that imports it sees no more. */
// Its random numbers are put off until somebody asks for them; somebody does.
const FIRST_MODULES = ['numpy', 'numpy.random'];
/** What our own code hands the values of packages on with. */
const OWN_MODULES = ['pyarrow', 'pyarrow.ipc', 'cloudpickle'];
/** A cell that loads more than this has a way of its own with modules. */
const MAX_MODULES = 4000;

export interface KnownModules {
  /** Which of these modules are loaded ahead of a fork, and what hands their values on. */
  needed(named: readonly string[]): string[];
  /** The same, with what came into use with their packages. */
  toFork(named: readonly string[]): string[];
  /** What an interpreter for such cells loads, where some of it must not be loaded before a fork; else nothing. */
  toSpare(named: readonly string[]): string[];
  /** Every package that some cell has named. */
  roots(): string[];
  /** A cell that names these packages had to load these modules by itself. */
  learn(names: readonly string[], roots: readonly string[]): void;
  /** These were loaded ahead; of those that were asked for, the others came along or are not there. */
  observe(asked: readonly string[], seen: readonly Observed[]): void;
  refuse(unfit: Unfit): void;
  list(): readonly KnownModule[];
  bytesOf(names: readonly string[]): number;
  save(): Promise<void>;
}

/** `stamp`: what the environment is now; what was said against a module of another is not held against it. */
export function createKnownModules(
  file: string | undefined,
  stamp: string,
  kept: readonly KnownModule[],
  log: (line: string) => void,
  mayWrite: () => boolean = () => true,
): KnownModules {
  const modules = new Map(kept.map((module) => [module.name, module]));
  let saving: Promise<void> = Promise.resolve();

  function usedWith(named: readonly string[]): KnownModule[] {
    const roots = new Set(named.map(rootOf));
    return [...modules.values()].filter(
      ({ name, with: packages }) => roots.has(rootOf(name)) || packages.some((root) => roots.has(root)),
    );
  }

  /** What holds of a package holds of what lies in it. */
  function verdictOf(name: string): KnownModule['verdict'] {
    for (let place = name; place !== ''; place = place.slice(0, Math.max(0, place.lastIndexOf('.')))) {
      const verdict = modules.get(place)?.verdict ?? 'fork';
      if (verdict !== 'fork') return verdict;
    }
    return 'fork';
  }

  function wanted(named: readonly string[], verdicts: readonly KnownModule['verdict'][]): string[] {
    const all = new Set([...withOwn(installed(named)), ...usedWith(named).map(nameOf)]);
    return [...all].filter((name) => verdicts.includes(verdictOf(name)));
  }

  const installed = (named: readonly string[]): string[] => named.filter((name) => !standardLibrary.has(rootOf(name)));

  const withOwn = (names: readonly string[]): readonly string[] =>
    names.length === 0 ? [] : [...FIRST_MODULES, ...names, ...OWN_MODULES];

  async function write(): Promise<void> {
    if (file === undefined || !mayWrite()) return;
    const text = JSON.stringify({ version: 1, stamp, modules: [...modules.values()] });
    const aside = `${file}.${process.pid}.tmp`;
    await makeInside(path.dirname(file));
    await writeFile(aside, text);
    await rename(aside, file);
  }

  return {
    needed: (named) => withOwn(installed(named)).filter((name) => verdictOf(name) === 'fork'),
    toFork: (named) => wanted(named, ['fork']),
    toSpare: (named) => (wanted(named, ['spare']).length === 0 ? [] : wanted(named, ['fork', 'spare'])),
    roots: () => [...new Set([...modules.values()].flatMap(({ name, with: packages }) => [rootOf(name), ...packages]))],
    learn(names, roots) {
      for (const name of names) {
        const known = modules.get(name);
        if (known === undefined && modules.size >= MAX_MODULES) continue;
        const packages = new Set([...(known?.with ?? []), ...roots]);
        if (known !== undefined && packages.size === known.with.length) continue;
        modules.set(name, { verdict: 'fork', ...known, name, with: [...packages] });
      }
    },
    observe(asked, seen) {
      const facts = new Map(seen.map(({ name, ...rest }) => [name, rest]));
      for (const name of asked) {
        const known = modules.get(name);
        const found = facts.get(name);
        if (found !== undefined)
          modules.set(name, { with: [rootOf(name)], verdict: 'fork', ...known, name, seen: found });
        else if (known?.seen === undefined) modules.delete(name);
      }
    },
    refuse({ name, why, spare }) {
      const known = modules.get(name);
      const verdict = spare ? 'never' : 'spare';
      if (known?.verdict === verdict) return;
      modules.set(name, { with: [rootOf(name)], ...known, name, verdict, why });
      const where = spare ? 'it is left to the cells that import it' : 'interpreters that were started afresh load it';
      log(`${name} is not loaded ahead of cells, ${where}: ${why}`);
    },
    list: () => [...modules.values()],
    bytesOf: (names) => names.reduce((sum, name) => sum + (modules.get(name)?.seen?.bytes ?? 0), 0),
    save() {
      saving = saving.then(write).catch((problem: unknown) => log(`what was seen of modules is not kept: ${problem}`));
      return saving;
    },
  };
}

/** It goes with its environment. */
export const modulesFileIn = (environment: string): string => path.join(environment, 'svc-modules.json');

/** `stamp`: undefined to take what was written as it is. */
export async function readKnownModules(file: string, stamp: string | undefined): Promise<KnownModule[]> {
  try {
    const found = fileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
    if (stamp === undefined || found.stamp === stamp) return found.modules;
    return found.modules.map(({ why: _why, seen: _seen, ...module }) => ({ ...module, verdict: 'fork' as const }));
  } catch {
    return []; // there is none yet, or it is damaged: it is learned again
  }
}

const nameOf = ({ name }: KnownModule): string => name;
