// Notebooks run by Jupyter (nbclient, ipykernel). What it gave is kept beside the environment: it costs minutes, and changes only
// with the notebook, its files and the packages.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { readStamp } from '../../scripts/setup/stamp.js';

const program = fileURLToPath(new URL('./run_there.py', import.meta.url));

const text = z.union([z.string(), z.array(z.string())]).transform((parts) => [parts].flat().join(''));
const bundle = z.record(z.string(), z.unknown());
const output = z.discriminatedUnion('output_type', [
  z.object({ output_type: z.literal('stream'), name: z.string(), text }),
  z.object({ output_type: z.literal('display_data'), data: bundle }),
  z.object({ output_type: z.literal('execute_result'), data: bundle }),
  z.object({ output_type: z.literal('error'), ename: z.string(), evalue: z.string() }),
]);
const ranThere = z.object({ took: z.number(), cells: z.array(z.array(output)) });

export type OutputThere = z.infer<typeof output>;
/** Outputs of the code cells; milliseconds. */
export type RanThere = z.infer<typeof ranThere>;

/** `files` is a folder whose content lies beside the notebook. */
export async function runThere(jupyter: object, files: string | undefined, environment: string): Promise<RanThere> {
  const notebook = JSON.stringify(jupyter);
  const found = `${notebook}\0${await listed(files)}\0${readStamp(environment)}\0${await fs.readFile(program)}`;
  const kept = path.join(environment, 'ran', `${createHash('sha256').update(found).digest('hex').slice(0, 32)}.json`);
  const known = await fs.readFile(kept, 'utf8').catch(() => undefined);
  if (known !== undefined) return ranThere.parse(JSON.parse(known));
  await fs.mkdir(path.dirname(kept), { recursive: true });
  const place = await fs.mkdtemp(path.join(path.dirname(kept), 'run-'));
  try {
    const [file, empty, out] = ['notebook.ipynb', 'files', 'out.json'].map((name) => path.join(place, name));
    if (file === undefined || empty === undefined || out === undefined) throw new Error('unreachable');
    await fs.writeFile(file, notebook);
    await fs.mkdir(empty);
    const env = { ...process.env, MPLBACKEND: undefined, NO_COLOR: '1' };
    const python = path.join(environment, 'bin/python');
    await promisify(execFile)(python, [program, file, files ?? empty, out], { env, timeout: 1_200_000 });
    await fs.rename(out, kept);
    return ranThere.parse(JSON.parse(await fs.readFile(kept, 'utf8')));
  } finally {
    await fs.rm(place, { recursive: true, force: true });
  }
}

/** Names, sizes and times of the files beside a notebook. */
async function listed(folder: string | undefined): Promise<string> {
  if (folder === undefined) return '';
  const entries = await fs.readdir(folder, { recursive: true, withFileTypes: true });
  const lines = entries
    .filter((entry) => entry.isFile())
    .map(async (entry) => {
      const place = path.join(entry.parentPath, entry.name);
      const { size, mtimeMs } = await fs.stat(place);
      return `${path.relative(folder, place)} ${size} ${mtimeMs}`;
    });
  return (await Promise.all(lines)).sort().join('\n');
}
