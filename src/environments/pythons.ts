// The interpreters that are really installed on this machine, newest first. uv alone would miss some places and then try
// to download one; so they are looked for here, and uv is told which to use.
import { findPythons } from '../../scripts/setup/python.js';

export interface InstalledPython {
  /** `3.13` */
  readonly version: string;
  readonly command: string;
}

/** Versions a notebook may be created with: one interpreter for each minor version. */
export async function installedPythons(): Promise<InstalledPython[]> {
  const found = new Map<string, InstalledPython>();
  for (const { command, version } of await findPythons()) {
    const minor = `${version[0]}.${version[1]}`;
    if (!found.has(minor)) found.set(minor, { version: minor, command });
  }
  return [...found.values()];
}
