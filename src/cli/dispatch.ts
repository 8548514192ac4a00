// `svc dispatch`: the worker of a cluster.
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { createRay, createSlurm, startDispatch } from '../dispatch/index.ts';
import { parseDuration, parseSize } from '../notebook/annotations/index.ts';
import { createLog, createLogRing, parseLogLevel } from '../observability/index.ts';
import { projectFolder } from '../places.ts';
import { isOwnVariable, loadWorkerSettings } from '../settings/index.ts';
import { onStopSignal } from '../stopSignals.ts';
import { policyOf } from '../worker/policy.ts';
import { check } from './options.ts';

const read = <T>(parse: (text: string) => T | null, wanted: string) =>
  z.string().transform((text, context) => {
    const value = parse(text);
    if (value !== null) return value;
    context.addIssue({ code: 'custom', message: `'${text}' is not ${wanted}` });
    return z.NEVER;
  });
const numberFrom = (least: number) =>
  z.coerce.number(`it must be a number, ${least} or more`).min(least, `it must be ${least} or more`);
const whole = (least: number) => numberFrom(least).int('it must be whole');

const optionsSchema = z.looseObject({
  engine: z.enum(['slurm', 'ray'], 'it must be slurm or ray'),
  address: z.url({ protocol: /^https?$/, error: 'it must be an address like http://head:8265' }),
  host: z.string().optional(),
  port: whole(0).max(65_535, 'it must be at most 65535'),
  state: z.string().optional(),
  workersReach: z
    .string()
    .regex(/^(wss?:\/\/.|files$)/, 'it must start with ws:// or wss://, or be files')
    .optional(),
  workerCommand: z.string().optional(),
  cpus: whole(1),
  memory: read(parseSize, 'a size like 4GB').optional(),
  gpus: whole(0),
  time: read(parseDuration, 'a duration like 4h').optional(),
  maxWorkers: whole(1).optional(),
  idleSeconds: numberFrom(0),
  startSeconds: numberFrom(1),
  lookSeconds: numberFrom(0.05),
  partition: z.string().optional(),
  sbatch: z.array(z.string()),
});

/** Longer than it takes to start a dispatcher anew, even by hand. */
const aloneSeconds = 900;

/** What a node does not have by itself, where nothing is inherited. */
const ownSettings = (env: NodeJS.ProcessEnv): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => isOwnVariable(entry[0]) && entry[1] !== undefined),
  );

export async function dispatch(given: object): Promise<void> {
  const options = check(optionsSchema, given);
  const { settings, warnings } = loadWorkerSettings({ env: process.env, cwd: process.cwd() });
  for (const warning of warnings) process.stderr.write(`warning: ${warning}\n`);
  const token = settings.workerToken?.trim() || null;
  const { SVC_WORKER_TOKEN: _, SVC_WORKER_CONNECT_TOKEN: __, ...env } = process.env;
  const host = options.host ?? (token === null ? '127.0.0.1' : '0.0.0.0');
  const own = `'${process.execPath}' '${path.join(projectFolder, 'bin/svc-worker.js')}'`;
  const workerCommand = `${options.workerCommand ?? own} --max-concurrent 1 --alone-seconds ${aloneSeconds}`;
  const running = await startDispatch({
    state: path.resolve(options.state ?? path.join(os.homedir(), '.svc/dispatch')),
    host,
    port: options.port,
    workersReach: options.workersReach ?? null,
    token,
    outward: policyOf(settings),
    resources: {
      cpus: options.cpus,
      memoryBytes: options.memory ?? null,
      gpus: options.gpus,
      seconds: options.time ?? null,
      custom: {},
    },
    maxWorkers: options.maxWorkers ?? null,
    idleSeconds: options.idleSeconds,
    startSeconds: options.startSeconds,
    lookSeconds: options.lookSeconds,
    engine: ({ spool, instance }) =>
      options.engine === 'ray'
        ? createRay({
            instance,
            address: options.address,
            token: env.RAY_AUTH_TOKEN?.trim() || null,
            workerCommand,
            env: ownSettings(env),
          })
        : createSlurm({
            instance,
            logs: spool.logs,
            partition: options.partition ?? null,
            submitOptions: options.sbatch,
            workerCommand,
            env,
          }),
    log: createLog({
      level: parseLogLevel(settings.logLevel) ?? 'info',
      format: settings.logFormat,
      destination: 2,
      ring: createLogRing(),
      logger: 'svc.dispatch',
    }),
  });
  process.stdout.write(`svc dispatch serves on ${running.address}\n`);
  if (token === null)
    process.stderr.write('warning: No token is set (SVC_WORKER_TOKEN): whoever reaches it runs code on the cluster.\n');
  onStopSignal(() => running.stop());
}
