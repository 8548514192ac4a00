// The interpreters that are really installed on this machine, newest first. None is ever downloaded.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';

export interface InstalledPython {
  /** `3.13` */
  readonly version: string;
  readonly command: string;
}

const listed = z.array(
  z.looseObject({ version: z.string(), path: z.string().nullable(), implementation: z.string().default('cpython') }),
);

/** Versions a notebook may be created with: one interpreter for each minor version that the runtime supports. */
export async function installedPythons(uv: string): Promise<InstalledPython[]> {
  const { stdout } = await promisify(execFile)(uv, ['python', 'list', '--only-installed', '--output-format', 'json'], {
    timeout: 30_000,
    maxBuffer: 2 ** 24,
  });
  const found = new Map<string, InstalledPython>();
  for (const { version, path, implementation } of listed.parse(JSON.parse(stdout))) {
    const minor = /^3\.(\d+)\.\d+$/.exec(version)?.[1];
    if (minor === undefined || path === null || implementation !== 'cpython' || Number(minor) < 10) continue;
    const name = `3.${minor}`;
    if (!found.has(name)) found.set(name, { version: name, command: path });
  }
  return [...found.values()].sort((a, b) => Number(b.version.slice(2)) - Number(a.version.slice(2)));
}
