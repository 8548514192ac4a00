// What the tests of this room share: notebooks as files, and a clock that stands still.
import fs from 'node:fs/promises';
import path from 'node:path';
import { readNotebook } from './read.ts';

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

/** A notebook with comments and unknown keys everywhere an edit could lose them. */
export const commented = `# ours
notebook_id = "n" # id
name = "Old"
updated_at = 2026-01-01 00:00:00+00:00
future = 1

# loads
[[cells]]
id = "a"
file = "a.py"
order = 0
updated_by = "ada"
colour = "red" # unknown

# plots
[[cells]]
id = "b"
file = "b.py"
order = 1

[ai]
api_key = "kept"
`;
const commentedCells = { 'a.py': 'x = 1\n', 'b.py': 'x\n' };
/** The same text after a structural edit at noon. */
export const touched = (text: string): string => text.replace('2026-01-01 00:00:00+00:00', noonText);

/** The notebook read, with its directory. */
export async function opened(folder: string, toml = commented) {
  const directory = await writeNotebook(folder, toml, commentedCells);
  return { directory, notebook: await readNotebook(directory) };
}
