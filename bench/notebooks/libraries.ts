// Notebooks whose cells use large libraries, and one environment with these for both sides: SVC_BENCH_LIBRARIES names one
// that is there; otherwise it is made in the sandbox, several gigabytes of it.
import fs from 'node:fs';
import path from 'node:path';
import { findPython } from '../../scripts/setup/python.js';
import { looksOffline, run } from '../../scripts/setup/run.js';
import { findUv } from '../../scripts/setup/uv.js';
import { NotMeasured } from '../notMeasured.ts';
import { createSandbox } from '../sandbox.ts';
import { type PlacedNotebook, placeNotebook } from './place.ts';
import type { NotebookServer } from './server.ts';

const packages =
  'numpy pandas scipy scikit-learn polars seaborn xgboost torch pyarrow orjson cloudpickle matplotlib ipykernel jupyter_client';

export type Library = 'scikit-learn' | 'scipy' | 'polars' | 'torch' | 'seaborn' | 'xgboost';

/** Ten cells, each with work of its own, values passed from cell to cell. */
export function sourcesOf(library: Library): string[] {
  const file = new URL(`./libraries/${library}.py`, import.meta.url);
  return fs.readFileSync(file, 'utf8').trimEnd().split('\n# %%\n');
}

export interface LibraryEnvironment {
  readonly python: string;
  /** Where its packages lie. */
  readonly packages: string;
  /** As `3.13`. */
  readonly version: string;
}

let made: Promise<string> | undefined;

/** The same for all lines of a run. */
export async function libraryEnvironment(): Promise<LibraryEnvironment> {
  made ??= process.env.SVC_BENCH_LIBRARIES ? Promise.resolve(process.env.SVC_BENCH_LIBRARIES) : makeEnvironment();
  const folder = await made;
  const version = fs.readdirSync(path.join(folder, 'lib')).find((name) => /^python3\.\d+$/.test(name));
  if (version === undefined) throw new Error(`${folder} is no Python environment`);
  const installed = path.join(folder, 'lib', version, 'site-packages');
  // A compiler that works at every import would be measured instead.
  if (!fs.existsSync(path.join(installed, 'numpy/__pycache__')))
    throw new NotMeasured(`${folder} has no bytecode; run python -m compileall there`);
  return { python: path.join(folder, 'bin/python'), packages: installed, version: version.slice('python'.length) };
}

async function makeEnvironment(): Promise<string> {
  const [uv, python] = [findUv(), (await findPython())?.command];
  if (uv === undefined || python === undefined) throw new NotMeasured('needs uv and Python');
  const sandbox = createSandbox();
  process.once('exit', sandbox.end);
  const folder = path.join(sandbox.folder(), 'libraries');
  for (const args of [
    ['venv', '--python', python, folder],
    ['pip', 'install', '--compile-bytecode', '--python', path.join(folder, 'bin/python'), ...packages.split(' ')],
  ]) {
    const { code, tail } = await run(uv, args);
    if (code === 0) continue;
    throw new NotMeasured(looksOffline(tail) ? 'no package index could be reached' : `could not be installed: ${tail}`);
  }
  return folder;
}

/** Its environment is its own, as uv made it, with these packages beside and instead of those that it has. */
export async function placeLibraryNotebook(server: NotebookServer, library: Library): Promise<PlacedNotebook> {
  const { packages: theirs, version } = await libraryEnvironment();
  const placed = await placeNotebook(server, { name: library, sources: sourcesOf(library) });
  const project = path.join(placed.directory, 'pyproject.toml');
  const text = fs.readFileSync(project, 'utf8');
  fs.writeFileSync(project, text.replace(/^requires-python = .*$/m, `requires-python = "==${version}.*"`));
  const synced = await server.open(placed.directory);
  await server.prepared(synced);
  await server.close(synced.session_id);
  const own = path.join(placed.directory, '.venv/lib', `python${version}`, 'site-packages');
  if (!fs.existsSync(own)) throw new NotMeasured(`the server has no Python ${version}`);
  for (const name of fs.readdirSync(theirs)) {
    fs.rmSync(path.join(own, name), { recursive: true, force: true });
    fs.symlinkSync(path.join(theirs, name), path.join(own, name));
  }
  return placed;
}
