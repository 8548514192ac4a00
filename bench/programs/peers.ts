// The programs that we compare ourselves with, each at one version in an environment of its own under `.tools/peers`.
// They are run as black boxes, by their documented options. One that cannot be had is not measured, and says why.
import fs from 'node:fs';
import path from 'node:path';
import { tools } from '../../scripts/setup/places.js';
import { findPython } from '../../scripts/setup/python.js';
import { looksOffline, run } from '../../scripts/setup/run.js';
import { readStamp, writeStamp } from '../../scripts/setup/stamp.js';
import { findUv } from '../../scripts/setup/uv.js';
import { NotMeasured } from '../notMeasured.ts';
import type { Program } from './program.ts';

export type PeerName = 'marimo' | 'strata-notebook' | 'jupyter-server' | 'jupyter-kernel';

interface Peer extends Omit<Program, 'command'> {
  /** As pip takes them, with a space between. */
  readonly requirements: string;
}

const peers: Readonly<Record<PeerName, Peer>> = {
  marimo: {
    requirements: 'marimo==0.25.2',
    args: (port) => ['edit', '--headless', '--no-token', '--skip-update-check', '--port', String(port)],
    path: '/health',
  },
  'strata-notebook': {
    requirements: 'strata-notebook==0.11.0',
    args: () => [],
    env: (port) => ({ STRATA_HOST: '127.0.0.1', STRATA_PORT: String(port) }),
    path: '/health',
  },
  'jupyter-server': {
    requirements: 'jupyter-server==2.21.1',
    args: (port) => [
      '--no-browser',
      '--allow-root',
      '--ServerApp.ip=127.0.0.1',
      `--ServerApp.port=${port}`,
      '--IdentityProvider.token=',
    ],
    path: '/api',
  },
  // Spoken to by its own client, without a server.
  'jupyter-kernel': {
    requirements: 'jupyter-client==8.10.0 ipykernel==7.4.0 pandas==3.1.1',
    args: () => [],
    path: '',
  },
};

export interface PeerSource {
  find(name: PeerName): Promise<Program>;
}

/** `install`: fetch a peer that is missing; otherwise only those that are there take part. */
export function createPeerSource(options: { install: boolean; progress: (text: string) => void }): PeerSource {
  const found = new Map<PeerName, Promise<Program>>();
  return {
    find(name) {
      const known = found.get(name);
      if (known) return known;
      const program = locate(name, options);
      found.set(name, program);
      return program;
    },
  };
}

async function locate(
  name: PeerName,
  { install, progress }: { install: boolean; progress: (text: string) => void },
): Promise<Program> {
  const { requirements, ...program } = peers[name];
  const folder = path.join(tools, 'peers', name);
  const command = path.join(folder, 'bin', name);
  const python = (await findPython())?.command;
  const wanted = `${requirements} ${python}`;
  if (readStamp(folder) !== wanted || !fs.existsSync(command)) {
    if (!install) throw new NotMeasured('not installed; a run without --quick installs it');
    await installInto(folder, requirements, python, (line) => progress(`Installing ${name} · ${line}`));
    writeStamp(folder, wanted);
  }
  return { command, ...program };
}

async function installInto(
  folder: string,
  requirements: string,
  python: string | undefined,
  progress: (line: string) => void,
): Promise<void> {
  const uv = findUv();
  if (uv === undefined || python === undefined) throw new NotMeasured('needs uv and Python');
  fs.rmSync(folder, { recursive: true, force: true });
  const steps = [
    ['venv', '--python', python, folder],
    // Compiled here, so that its first start does not pay for it.
    ['pip', 'install', '--compile-bytecode', '--python', path.join(folder, 'bin/python'), ...requirements.split(' ')],
  ];
  for (const args of steps) {
    const { code, tail } = await run(uv, args, { progress });
    if (code === 0) continue;
    throw new NotMeasured(
      looksOffline(tail) ? 'no package index could be reached' : `could not be installed: ${tail.split('\n').at(-1)}`,
    );
  }
}
