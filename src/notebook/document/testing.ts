// What the tests of this room share: notebooks as files, and a clock that stands still.
import fs from 'node:fs/promises';
import path from 'node:path';

/** A notebook directory with this file and these cell files. */
export async function writeNotebook(folder: string, toml: string, cells: Record<string, string> = {}): Promise<string> {
  const directory = path.join(folder, 'nb');
  await fs.mkdir(path.join(directory, 'cells'), { recursive: true });
  await fs.writeFile(path.join(directory, 'notebook.toml'), toml);
  for (const [name, source] of Object.entries(cells)) await fs.writeFile(path.join(directory, 'cells', name), source);
  return directory;
}

export const readToml = (directory: string): Promise<string> =>
  fs.readFile(path.join(directory, 'notebook.toml'), 'utf8');

export const noon = () => Temporal.Instant.from('2026-11-15T12:00:00.000001Z');
export const noonText = '2026-11-15 12:00:00.000001+00:00';
