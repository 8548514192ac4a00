// Which modules a job is going to load, as far as that can be told before it runs: what its source imports, the modules
// among its inputs, and the packages that its other inputs are made of.

import { z } from 'zod';
import { readOwnJson } from '../../files/index.ts';
import type { InputFile, Job } from '../runtime.ts';
import { importedModules, rootOf } from './imports.ts';

const importSchema = z.object({ module_name: z.string() });
const plainTypes = new Set(['json/object', 'json/inline', 'file/path']);

export interface Needs {
  /** Modules by name, packages among them. */
  of(job: Pick<Job, 'source' | 'inputs'>): Promise<string[]>;
  /** What variables of a run were instances of: `{ model: 'sklearn.svm._classes.SVC' }`. */
  remember(types: Readonly<Record<string, string>>): void;
}

/** `unknown`: what a value of which nobody knows what it is may need. */
export function createNeeds(unknown: () => readonly string[]): Needs {
  const packageOf = new Map<string, string>();

  async function ofInput(name: string, input: InputFile): Promise<readonly string[]> {
    if (plainTypes.has(input.contentType)) return [];
    if (input.contentType === 'module/import') return moduleIn(input.file);
    if (input.variants !== undefined) return ofInputs(input.variants, name);
    const known = packageOf.get(name);
    if (known === undefined) return unknown();
    return known === 'builtins' ? unknown() : [known];
  }

  async function ofInputs(inputs: Readonly<Record<string, InputFile>>, as?: string): Promise<string[]> {
    const found = await Promise.all(Object.entries(inputs).map(([name, input]) => ofInput(as ?? name, input)));
    return found.flat();
  }

  return {
    async of({ source, inputs }) {
      const named = importedModules(source);
      return Object.keys(inputs).length === 0 ? named : [...new Set([...named, ...(await ofInputs(inputs))])];
    },
    remember(types) {
      for (const [name, type] of Object.entries(types))
        packageOf.set(name, type.includes('.') ? rootOf(type) : 'builtins');
    },
  };
}

async function moduleIn(file: string): Promise<string[]> {
  try {
    return [importSchema.parse(await readOwnJson(file)).module_name];
  } catch {
    return []; // the process that reads it says what is wrong
  }
}
