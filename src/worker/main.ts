// The worker program: reads its flags and settings, serves, and ends at the first signal.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { findProgram } from '../files/index.ts';
import { describeProblems, loadWorkerSettings, SettingsError, type WorkerSettings } from '../settings/index.ts';
import { onStopSignal } from '../stopSignals.ts';
import { version } from '../version.ts';
import { secretsOfParent, takeSecrets } from './secrets.ts';

const env = takeSecrets();

interface Flags {
  readonly host?: string;
  readonly port: number;
  readonly connect?: string;
  readonly aloneSeconds?: number;
  readonly logLevel?: string;
  readonly maxConcurrent?: number;
  readonly gpuSlots?: number;
  readonly python?: string;
  readonly environment?: WorkerSettings['workerEnvironment'];
}

const whole =
  (least: number) =>
  (text: string): number => {
    const value = Number(text);
    if (!Number.isSafeInteger(value) || value < least) throw new InvalidArgumentError(`It must be ${least} or more.`);
    return value;
  };

function relayUrl(text: string): string {
  const protocol = URL.parse(text)?.protocol;
  if (!['ws:', 'wss:', 'file:'].includes(protocol ?? ''))
    throw new InvalidArgumentError('It must start with ws:// or wss://, or with file:// for a folder of svc dispatch.');
  return text;
}

/** A path from here, or a program of the search path. */
const interpreter = (text: string): string =>
  (text.includes(path.sep) ? undefined : findProgram(text)) ?? path.resolve(text);

const program = new Command('svc-worker')
  .description('runs cells that servers send to it')
  .version(version)
  .option('--host <host>', 'address to listen on (default: 0.0.0.0 with a token, else 127.0.0.1)')
  .option('--port <port>', 'port to listen on', whole(0), 9000)
  .option(
    '--connect <url>',
    'dial out to a relay (ws:// or wss://; file:// through a folder) instead of listening',
    relayUrl,
  )
  .option('--alone-seconds <n>', 'with --connect: end after so long without a relay', whole(1))
  .option('--log-level <level>', 'debug, info, warning or error')
  .option('--max-concurrent <n>', 'cells that run at a time', whole(1))
  .option('--gpu-slots <n>', 'GPUs handed out, one to each running cell', whole(1))
  .option('--python <path>', 'interpreter of Python cells that bring no locked environment', interpreter)
  .addOption(
    new Option(
      '--environment <which>',
      "where cells run: in the notebook's locked environment or the worker's own",
    ).choices(['auto', 'locked', 'own']),
  )
  .exitOverride()
  .action(serve);

async function serve(flags: Flags): Promise<void> {
  const { settings, warnings } = loadWorkerSettings({
    env: { ...env, ...(flags.logLevel === undefined ? {} : { SVC_LOG_LEVEL: flags.logLevel }) },
    cwd: process.cwd(),
    overrides: {
      workerMaxConcurrent: flags.maxConcurrent,
      workerGpuSlots: flags.gpuSlots,
      workerPython: flags.python,
      workerEnvironment: flags.environment,
    },
  });
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  if (flags.connect !== undefined) return dialOut(settings, flags.connect, flags.aloneSeconds);
  const host = flags.host ?? (hasToken(settings) ? '0.0.0.0' : '127.0.0.1');
  for (const warning of exposure(settings, host)) process.stderr.write(`warning: ${warning}\n`);
  const { startWorker } = await import('./start.ts');
  const worker = await startWorker(settings, { host, port: flags.port });
  process.stdout.write(`svc-worker serves on ${worker.address}\n`);
  onStopSignal(() => worker.stop());
}

/** Its own server listens where only this user can ask. */
async function dialOut(settings: WorkerSettings, url: string, aloneSeconds?: number): Promise<void> {
  if (!hasToken(settings))
    process.stderr.write('warning: No token is set (SVC_WORKER_TOKEN): whoever reaches the relay runs code here.\n');
  const [{ startWorker }, { connectToRelay }, { throughFiles }] = await Promise.all([
    import('./start.ts'),
    import('../relay/index.ts'),
    import('./outward.ts'),
  ]);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-worker-socket-'));
  const target = path.join(folder, 'worker');
  const through = url.startsWith('file:') ? throughFiles(fileURLToPath(url)) : undefined;
  const worker = await startWorker(settings, { path: target, through });
  const stopping = new AbortController();
  const stop = async (): Promise<void> => {
    stopping.abort();
    await worker.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  };
  onStopSignal(stop);
  process.stdout.write(`svc-worker dials ${url}\n`);
  const token = settings.workerConnectToken;
  const alone = aloneSeconds === undefined ? undefined : { seconds: aloneSeconds, isBusy: () => worker.active() > 0 };
  const dialling = { url, token, target, log: worker.log, signal: stopping.signal, alone };
  await connectToRelay(dialling).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  // Nobody is left to work for.
  if (!stopping.signal.aborted) await stop();
}

const hasToken = ({ workerToken }: WorkerSettings): boolean => (workerToken ?? '').trim() !== '';

function exposure(settings: WorkerSettings, host: string): string[] {
  const shown = secretsOfParent().map(
    (name) =>
      `The process that started this worker still has ${name} in its environment, where cells can read it: start the worker with exec, so that it takes that process's place.`,
  );
  if (hasToken(settings)) return shown;
  const isLoopback = /^(127\.|localhost$|::1$)/.test(host);
  return [
    ...shown,
    isLoopback
      ? 'No token is set (SVC_WORKER_TOKEN): every user of this machine can run cells here.'
      : `No token is set (SVC_WORKER_TOKEN), and the worker listens on ${host}: WHOEVER REACHES IT RUNS CODE HERE.`,
  ];
}

try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : 2;
  else if (error instanceof SettingsError) {
    process.stderr.write(`${describeProblems(error)}\n`);
    process.exitCode = 2;
  } else {
    process.stderr.write(`svc-worker: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}
