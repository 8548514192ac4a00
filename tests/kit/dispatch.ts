// A real dispatcher in a process of its own, and cells that are handed to it as a server does.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { enginePython } from '../../scripts/setup/places.js';
import { type WorkerHealth, workerHealthSchema } from '../../src/protocol/index.ts';
import { cleanEnvironment, type Environment, newHome } from './server.ts';
import { type BundleText, bundleOf, cellForm, type Pushed } from './worker.ts';

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));
const withPackages = existsSync(enginePython) ? { SVC_WORKER_PYTHON: enginePython } : {};

export interface TestDispatch extends AsyncDisposable {
  readonly address: string;
  readonly home: string;
  output(): string;
  /** Ends it by `kill -9`. */
  kill(): Promise<void>;
  hand(source: string, pushed?: Pushed): Promise<HandedCell>;
  health(): Promise<WorkerHealth>;
}

export interface HandedCell {
  readonly buildId: string;
  readonly jobUrl: string;
  /** Every state that was told, until one fits or the cell has ended. */
  until(fits: (told: ToldState) => boolean): Promise<ToldState[]>;
  /** How it ended. */
  ended(): Promise<BundleText | ToldState>;
  cancel(): Promise<unknown>;
}

export interface ToldState {
  readonly state: string;
  readonly position?: number | null;
  readonly detail?: string | null;
  readonly status_code?: number;
  readonly error?: string;
  readonly result?: unknown;
}

export async function startDispatch(options: {
  readonly args: readonly string[];
  readonly env?: Environment;
  readonly home?: string;
}): Promise<TestDispatch> {
  const home = options.home ?? newHome();
  const child = spawn(process.execPath, [svc, 'dispatch', ...options.args], {
    cwd: home,
    env: cleanEnvironment(home, { SVC_LOG_LEVEL: 'WARNING', ...withPackages, ...options.env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (piece: Buffer) => {
        text += piece.toString();
        const found = /svc dispatch serves on (\S+)/.exec(text)?.[1];
        if (found !== undefined) resolve(found.replace('0.0.0.0', '127.0.0.1'));
      });
    void exited.then(() => reject(new Error(`The dispatcher ended before it served:\n${text}`)));
  });
  const end = async (signal: NodeJS.Signals): Promise<void> => endBy(child, exited, signal);
  return {
    address,
    home,
    output: () => text,
    kill: () => end('SIGKILL'),
    health: async () => workerHealthSchema.parse(await (await fetch(`${address}/health?complete=true`)).json()),
    hand: (source, pushed) => handTo(address, source, pushed),
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}

async function endBy(child: ChildProcess, exited: Promise<void>, signal: NodeJS.Signals): Promise<void> {
  child.kill(signal);
  await exited;
}

let builds = 0;

async function handTo(address: string, source: string, pushed: Pushed = {}): Promise<HandedCell> {
  builds += 1;
  const buildId = `notebook-${process.pid}-${builds}`;
  const body = cellForm(source, { ...pushed, metadata: { build_id: buildId, ...pushed.metadata } });
  const answer = await fetch(`${address}/v1/execute`, { method: 'POST', body });
  if (answer.status !== 202) throw new Error(`It answered ${answer.status}: ${await answer.text()}`);
  const jobUrl = new URL(((await answer.json()) as { job_url: string }).job_url, address).href;

  async function until(fits: (told: ToldState) => boolean): Promise<ToldState[]> {
    const told: ToldState[] = [];
    for (let tag: string | undefined; ; ) {
      const headers = { prefer: 'wait=20', ...(tag === undefined ? {} : { 'if-none-match': tag }) };
      const asked = await fetch(jobUrl, { headers });
      if (asked.headers.get('content-type') === 'application/x-tar') {
        await asked.body?.cancel();
        return [...told, { state: 'finished' }];
      }
      const state = (await asked.json()) as ToldState;
      if (asked.headers.get('etag') !== tag) told.push(state);
      tag = asked.headers.get('etag') ?? undefined;
      if (fits(state) || state.state === 'failed' || state.state === 'finished' || asked.status !== 200) return told;
    }
  }

  return {
    buildId,
    jobUrl,
    until,
    async ended() {
      const last = (await until(() => false)).at(-1);
      if (last?.state !== 'finished' || last.result !== undefined) return last ?? { state: 'unknown' };
      return bundleOf(await fetch(jobUrl));
    },
    cancel: async () => (await fetch(`${address}/v1/executions/${buildId}/cancel`, { method: 'POST' })).json(),
  };
}
