// `pyproject.toml` of a notebook: what it declares, and the edits that are ours (the list of dependencies, the version of
// Python, a name that is no package's). Everything else in it stays as it was written.
import path from 'node:path';
import { parse } from 'smol-toml';
import { z } from 'zod';
import { readOwnFile } from '../files/index.ts';
import { printLayout, printValue, putKey, scanLayout, tomlRaw } from '../toml/index.ts';
import { isMissing } from './files.ts';
import { withoutPasswords } from './masked.ts';
import { canonicalName, parseRequirement } from './requirement.ts';

export const projectFileName = 'pyproject.toml';

export interface Dependency {
  readonly name: string;
  readonly version: string | null;
  readonly specifier: string | null;
  /** When it is wanted; left out where that is always. */
  readonly condition?: string;
}

export interface Project {
  /** As written, in the order of the file. */
  readonly requirements: readonly string[];
  readonly requiresPython: string;
  /** What stands in the way of reading it, or null. */
  readonly problem: string | null;
}

/** What the runtime itself needs; an imported list that leaves them out still gets them. */
export const runtimeRequirements = ['pyarrow>=18.0.0', 'orjson>=3.10.0', 'cloudpickle>=3.0.0'];

const schema = z.looseObject({
  project: z.looseObject({
    name: z.string().default(''),
    dependencies: z.array(z.string()).default([]),
    'requires-python': z.string().default(''),
  }),
});

export async function readProject(directory: string): Promise<Project> {
  try {
    return projectOf(await readProjectText(directory));
  } catch (error) {
    return { requirements: [], requiresPython: '', problem: problemOf(error) };
  }
}

export const readProjectText = async (directory: string): Promise<string> =>
  String(await readOwnFile(path.join(directory, projectFileName)));

function problemOf(error: unknown): string {
  if (isMissing(error))
    return `${projectFileName} is missing from the notebook's folder: put it back, then sync the environment.`;
  if (error instanceof Error && 'code' in error && error.code === 'EISDIR')
    return `${projectFileName} is a folder: move it away and put the file back, then sync the environment.`;
  const reason = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  return `${projectFileName} cannot be read: ${reason}`;
}

function projectOf(text: string): Project {
  const { project } = schema.parse(parse(text));
  return { requirements: project.dependencies, requiresPython: project['requires-python'], problem: null };
}

/** A requirement that we would not take ourselves is still shown, by what stands before its first sign. */
export function dependencyOf(text: string): Dependency {
  try {
    const { name, specifier, condition } = parseRequirement(text);
    return { name, version: null, specifier, ...(condition === null ? {} : { condition }) };
  } catch {
    const [, name = text, rest = ''] = /^\s*([A-Za-z0-9._-]+)\s*(.*)$/s.exec(text) ?? [];
    return { name: canonicalName(name), version: null, specifier: withoutPasswords(rest) || null };
  }
}

/** `3.13` when the file asks for exactly that minor version, else nothing. */
export const minorOf = (requiresPython: string): string =>
  /^\s*==\s*(\d+\.\d+)\.\*\s*$/.exec(requiresPython)?.[1] ?? '';

export function withRequirements(text: string, requirements: readonly string[]): string {
  const lines = requirements.map((requirement) => `    ${printValue(requirement)},\n`).join('');
  return edited(text, 'dependencies', projectOf(text).requirements, requirements.length === 0 ? '[]' : `[\n${lines}]`);
}

export function withPython(text: string, minor: string): string {
  return edited(text, 'requires-python', projectOf(text).requiresPython, printValue(`==${minor}.*`));
}

/**
 * uv takes the project for the package of its name: a notebook called numpy could have neither numpy nor what needs it. So a
 * name that is one word, as packages are called, or that of a package to be added becomes another.
 */
export function withNameApart(text: string, packages: readonly string[]): string {
  const { name } = schema.parse(parse(text)).project;
  const isApart = !/^[A-Za-z0-9]+$/.test(name) && !packages.includes(canonicalName(name));
  return name === '' || isApart ? text : edited(text, 'name', name, printValue(`${name}-notebook`));
}

const edited = (text: string, key: string, current: unknown, next: string): string =>
  printLayout(putKey(scanLayout(text), ['project'], key, current, tomlRaw(next)));
