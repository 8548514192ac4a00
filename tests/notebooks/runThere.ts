// Notebooks run by Jupyter (nbclient, ipykernel). What it gave is kept beside the environment: it takes long, and changes only
// with the notebook, its files and the packages.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import readline from 'node:readline';
import { fileURLToPath } from 'node:url';
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
const answer = z.object({ id: z.string(), problem: z.string().nullable() });

export type OutputThere = z.infer<typeof output>;
/** Outputs of the code cells; milliseconds. */
export type RanThere = z.infer<typeof ranThere>;

export interface There extends AsyncDisposable {
  /** `files` is a folder whose content lies beside the notebook. */
  run(jupyter: object, files: string | undefined): Promise<RanThere>;
}

export async function openThere(environment: string): Promise<There> {
  const results = path.join(environment, 'ran');
  await fs.mkdir(results, { recursive: true });
  const jupyter = spawn(path.join(environment, 'bin/python'), [program], {
    env: { ...process.env, MPLBACKEND: undefined, NO_COLOR: '1' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const ended = once(jupyter, 'exit');
  const waiting = new Map<string, (problem: string | null) => void>();
  readline.createInterface(jupyter.stdout).on('line', (line) => {
    const { id, problem } = answer.parse(JSON.parse(line));
    waiting.get(id)?.(problem);
    waiting.delete(id);
  });
  jupyter.on('exit', () => {
    for (const give of waiting.values()) give('Jupyter ended before the notebook did.');
  });

  async function carryOut(notebook: string, files: string | undefined, kept: string): Promise<void> {
    const place = await fs.mkdtemp(path.join(results, 'run-'));
    try {
      const order = { id: place, notebook: path.join(place, 'notebook.ipynb'), out: path.join(place, 'out.json') };
      const empty = path.join(place, 'files');
      await Promise.all([fs.writeFile(order.notebook, notebook), fs.mkdir(empty)]);
      const { promise, resolve } = Promise.withResolvers<string | null>();
      waiting.set(order.id, resolve);
      jupyter.stdin.write(`${JSON.stringify({ ...order, folder: files ?? empty })}\n`);
      const problem = await promise;
      if (problem !== null) throw new Error(`Jupyter could not run it: ${problem}`);
      await fs.rename(order.out, kept);
    } finally {
      await fs.rm(place, { recursive: true, force: true });
    }
  }

  return {
    async run(file, files) {
      const notebook = JSON.stringify(file);
      const key = `${notebook}\0${await listed(files)}\0${readStamp(environment)}`;
      const kept = path.join(results, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`);
      const isKnown = await fs.access(kept).then(
        () => true,
        () => false,
      );
      if (!isKnown) await carryOut(notebook, files, kept);
      return ranThere.parse(JSON.parse(await fs.readFile(kept, 'utf8')));
    },
    async [Symbol.asyncDispose]() {
      jupyter.stdin.end();
      await ended;
    },
  };
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
