// `svc doctor`: looks at everything that notebooks need, and says what to do about what is missing.
import { execFile } from 'node:child_process';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { enginePython } from '../../scripts/setup/places.js';
import { findUv } from '../../scripts/setup/uv.js';
import { createPythons } from '../environments/index.ts';
import { findProgram } from '../files/index.ts';
import { modulesFileIn, readKnownModules } from '../runtimes/index.ts';
import { loadSettings, type Settings } from '../settings/index.ts';
import { UsageError } from './failure.ts';
import type { Finding } from './finding.ts';
import { interruptible } from './interrupt.ts';
import { green, red, yellow } from './notebook/answers.ts';
import { check } from './options.ts';
import { bytesText, printJson } from './print.ts';

const run = promisify(execFile);

const doctorOptions = z.object({
  format: z.enum(['human', 'json'], 'human or json'),
  deep: z.boolean().default(false),
  artifactDir: z.string().optional(),
  notebookDir: z.string().optional(),
});

export async function examine(given: object): Promise<void> {
  const { format, deep, ...places } = check(doctorOptions, given);
  if (!deep && (places.artifactDir ?? places.notebookDir) !== undefined)
    throw new UsageError('--artifact-dir and --notebook-dir are looked into with --deep only; add it');
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const around = await Promise.all([
    { what: 'Node', level: 'ok', found: process.version } as const,
    uvFinding(),
    pythonFinding(),
    engineFinding(),
    rFinding(),
    diskFinding(settings),
    portFinding(settings),
    modulesFinding(settings),
  ]);
  const below = deep
    ? await interruptible(async (signal) => (await import('./doctorDeep.ts')).lookDeep(settings, places, signal))
    : [];
  const findings: readonly Finding[] = [...around, ...below];
  const isWell = findings.every(({ level }) => level !== 'problem');
  if (format === 'json') printJson({ healthy: isWell, findings });
  else for (const finding of findings) process.stdout.write(`${lineOf(finding)}\n`);
  if (!isWell) process.exitCode = 1;
}

const marks = { ok: green('✓'), warning: yellow('⚠'), problem: red('✗') };

const lineOf = ({ what, level, found, remedy }: Finding): string =>
  `${marks[level]} ${what.padEnd(12)} ${found}${remedy === undefined ? '' : `\n    ${remedy}`}`;

async function uvFinding(): Promise<Finding> {
  const uv = findUv();
  if (uv === undefined)
    return {
      what: 'uv',
      level: 'problem',
      found: 'not found',
      remedy: 'Run npm start once with a network, or install uv: https://docs.astral.sh/uv',
    };
  const { stdout } = await run(uv, ['--version']);
  return { what: 'uv', level: 'ok', found: stdout.trim() };
}

async function pythonFinding(): Promise<Finding> {
  const everywhere = await createPythons({ uv: findUv }).find(() => false);
  const versions = everywhere.map(({ version }) => version);
  return versions.length > 0
    ? { what: 'Python', level: 'ok', found: versions.join(', ') }
    : {
        what: 'Python',
        level: 'problem',
        found: 'none of 3.10 or newer',
        remedy: 'Install one (Debian: apt install python3; macOS: brew install python).',
      };
}

async function engineFinding(): Promise<Finding> {
  const isThere = await fs.access(enginePython).then(
    () => true,
    () => false,
  );
  return isThere
    ? { what: 'Data engine', level: 'ok', found: 'ready' }
    : {
        what: 'Data engine',
        level: 'warning',
        found: 'not prepared yet',
        remedy: 'It is prepared by npm start; tables and SQL wait for it.',
      };
}

async function rFinding(): Promise<Finding> {
  const rscript = findProgram('Rscript');
  return rscript
    ? { what: 'R', level: 'ok', found: rscript }
    : {
        what: 'R',
        level: 'warning',
        found: 'not installed',
        remedy: 'Only R cells need it (Debian: apt install r-base-core; macOS: brew install r).',
      };
}

async function diskFinding({ notebookStorageDir }: Settings): Promise<Finding> {
  await fs.mkdir(notebookStorageDir, { recursive: true }).catch(() => undefined);
  const place = await fs.statfs(notebookStorageDir).catch(() => undefined);
  if (!place)
    return {
      what: 'Storage',
      level: 'problem',
      found: `${notebookStorageDir} cannot be used`,
      remedy: 'Set SVC_NOTEBOOK_STORAGE_DIR to a directory that you may write to.',
    };
  const free = place.bavail * place.bsize;
  const found = `${notebookStorageDir}, ${bytesText(free)} free`;
  return free > 2 ** 30
    ? { what: 'Storage', level: 'ok', found }
    : { what: 'Storage', level: 'warning', found, remedy: 'Free some space: results are kept there.' };
}

/** Packages that notebooks use and that cannot be loaded ahead of their cells: those cells import them each time. */
async function modulesFinding({ notebookStorageDir }: Settings): Promise<Finding> {
  const found: string[] = [];
  for (const entry of await fs.readdir(notebookStorageDir, { withFileTypes: true }).catch(() => [])) {
    if (!entry.isDirectory()) continue;
    const file = modulesFileIn(path.join(notebookStorageDir, entry.name, '.venv'));
    for (const { name, verdict, why } of await readKnownModules(file, undefined))
      if (verdict === 'never') found.push(`${name} in ${entry.name}: ${why ?? 'it cannot be loaded'}`);
  }
  return found.length === 0
    ? { what: 'Loading ahead', level: 'ok', found: 'every package that notebooks use' }
    : {
        what: 'Loading ahead',
        level: 'warning',
        found: found.join('; '),
        remedy: 'Cells import these by themselves, each time. Another version of the package may do better.',
      };
}

async function portFinding({ host, port }: Settings): Promise<Finding> {
  const answers = await new Promise<boolean>((resolve) => {
    const socket = net.connect({ host, port, timeout: 500 });
    socket
      .on('connect', () => resolve(true))
      .on('error', () => resolve(false))
      .on('timeout', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
  return answers
    ? {
        what: 'Port',
        level: 'warning',
        found: `something already listens on ${host}:${port}`,
        remedy: 'Perhaps a server that runs already; otherwise set SVC_PORT.',
      }
    : { what: 'Port', level: 'ok', found: `${host}:${port} is free` };
}
