// The same notebooks taken over by marimo's converter and run by it: which of their cells are green.
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';

const run = promisify(execFile);
const exported = z.object({
  cells: z.array(
    z.looseObject({
      cell_type: z.string(),
      outputs: z.array(z.looseObject({ output_type: z.string(), name: z.string().optional() })).default([]),
    }),
  ),
});

/** Of each code cell whether it is green; none where the notebook could not be taken over. `python` has marimo and the packages. */
export async function greenInMarimo(python: string, jupyter: object, files: string | undefined): Promise<boolean[]> {
  const place = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-marimo-'));
  const marimo = (...words: string[]) => run(python, ['-m', 'marimo', ...words], { cwd: place, timeout: 300_000 });
  try {
    if (files !== undefined) await fs.cp(files, place, { recursive: true });
    await fs.writeFile(path.join(place, 'from.ipynb'), JSON.stringify(jupyter));
    await marimo('convert', 'from.ipynb', '-o', 'converted.py');
    const to = path.join(place, 'ran.ipynb');
    // It ends with 1 when a cell failed, and has written the file all the same.
    await marimo('export', 'ipynb', 'converted.py', '--include-outputs', '--sort', 'top-down', '-o', to).catch(
      () => {},
    );
    const { cells } = exported.parse(JSON.parse(await fs.readFile(to, 'utf8')));
    return cells
      .filter(({ cell_type }) => cell_type === 'code')
      .map(({ outputs }) => !outputs.some(({ output_type }) => output_type === 'error'));
  } catch {
    return [];
  } finally {
    await fs.rm(place, { recursive: true, force: true });
  }
}
