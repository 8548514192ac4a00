// Brings the data engine's Python environment into being while the server already serves. Whoever needs the engine asks
// for its state; a failed preparation is tried again when somebody asks later.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { engineIsReady } from '../../scripts/setup/engine.js';
import { projectFolder } from '../places.ts';

export type PreparationState =
  | { readonly state: 'ready' }
  | { readonly state: 'preparing'; readonly reason: string }
  | { readonly state: 'failed'; readonly reason: string };

export interface EnginePreparation {
  /** The state now. Asking after a failure starts another attempt, at most every half minute. */
  current(): PreparationState;
  /** Resolves when the running attempt, if any, has ended. */
  settled(): Promise<PreparationState>;
  close(): void;
}

interface Parts {
  readonly log: { info(message: string): void; warning(message: string): void };
  readonly isReady?: () => Promise<boolean>;
  /** Runs one preparation to its end and gives what it printed when it failed. */
  readonly prepare?: (signal: AbortSignal) => Promise<string | undefined>;
  readonly now?: () => number;
}

const retryAfterMilliseconds = 30_000;
const setup = path.join(projectFolder, 'scripts/setup.js');

export function createEnginePreparation({
  log,
  isReady = engineIsReady,
  prepare = runSetup,
  now = () => performance.now(),
}: Parts): EnginePreparation {
  const stop = new AbortController();
  let state: PreparationState = { state: 'preparing', reason: 'looking for its environment' };
  let endedAt = 0;
  let attempt = start();

  async function start(): Promise<void> {
    state = { state: 'preparing', reason: 'its Python packages are being installed' };
    const problem = await attemptOnce().catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    state = problem === undefined ? { state: 'ready' } : { state: 'failed', reason: problem };
    endedAt = now();
  }

  async function attemptOnce(): Promise<string | undefined> {
    return (await isReady()) ? undefined : install();
  }

  async function install(): Promise<string | undefined> {
    log.info('Preparing the data engine; tables and transforms wait for it, everything else works');
    const problem = await prepare(stop.signal);
    if (stop.signal.aborted) return 'the server is stopping';
    if (problem === undefined) log.info('The data engine is ready');
    else log.warning(`The data engine could not be prepared: ${problem}`);
    return problem;
  }

  return {
    current() {
      if (state.state === 'failed' && !stop.signal.aborted && now() - endedAt > retryAfterMilliseconds)
        attempt = start();
      return state;
    },
    async settled() {
      await attempt;
      return state;
    },
    close: () => stop.abort(),
  };
}

function runSetup(signal: AbortSignal): Promise<string | undefined> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [setup, '--for', 'engine', '--quiet'], {
      stdio: ['ignore', 'ignore', 'pipe'],
      signal,
    });
    let printed = '';
    // Undefined where this process may have no more files open; the error below says so.
    child.stderr?.on('data', (chunk: Buffer) => {
      printed = (printed + chunk.toString()).slice(-4000);
    });
    child.on('error', (error) => resolve(error.message));
    child.on('close', (code) =>
      resolve(code === 0 ? undefined : printed.replaceAll('✗', '').trim() || `setup ended with ${code}`),
    );
  });
}
