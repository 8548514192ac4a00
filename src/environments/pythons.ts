// The interpreters that are really installed on this machine, newest first. uv alone would miss some places and then try
// to download one; so both our list and uv's are taken, and uv is always told which to use.
import { execFile } from 'node:child_process';
import { z } from 'zod';
import { findPythons } from '../../scripts/setup/python.js';
import { programEnvironment } from './uv.ts';

export interface InstalledPython {
  /** `3.13` */
  readonly version: string;
  /** `3.13.1` */
  readonly fullVersion: string;
  readonly command: string;
}

const uvList = z.array(
  z.looseObject({
    path: z.string().nullable(),
    implementation: z.string(),
    variant: z.string().default('default'),
    version_parts: z.object({ major: z.int(), minor: z.int(), patch: z.int() }),
  }),
);

/** Versions a notebook may be created with: one interpreter for each minor version. */
export async function installedPythons(uv: string | undefined): Promise<InstalledPython[]> {
  const [own, known] = await Promise.all([findPythons(), uv === undefined ? [] : listedByUv(uv)]);
  const found = new Map<string, InstalledPython>();
  for (const {
    command,
    version: [major, minor, patch],
  } of [...own, ...known]) {
    const version = `${major}.${minor}`;
    if (!found.has(version)) found.set(version, { version, fullVersion: `${version}.${patch}`, command });
  }
  return [...found.values()].sort((a, b) => minorNumber(b) - minorNumber(a));
}

const minorNumber = ({ version }: InstalledPython): number => Number(version.split('.')[1]);

function listedByUv(uv: string): Promise<{ command: string; version: [number, number, number] }[]> {
  return new Promise((resolve) => {
    execFile(
      uv,
      ['python', 'list', '--only-installed', '--no-python-downloads', '--output-format', 'json'],
      { timeout: 5000, env: programEnvironment() },
      (error, stdout) => resolve(error ? [] : readList(stdout)),
    );
  });
}

/** Undefined for what is no JSON: an older uv, or a program that only has its name. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function readList(text: string): { command: string; version: [number, number, number] }[] {
  const list = uvList.safeParse(parsed(text));
  return (list.data ?? []).flatMap(({ path, implementation, variant, version_parts: { major, minor, patch } }) =>
    path !== null && implementation === 'cpython' && variant === 'default' && major === 3 && minor >= 10
      ? [{ command: path, version: [major, minor, patch] }]
      : [],
  );
}
