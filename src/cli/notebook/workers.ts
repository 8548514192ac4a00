// `svc worker …`: where the cells of a notebook run.
import { z } from 'zod';
import { type Desk, remoteSession, type WorkerListView } from '../../desk/index.ts';
import { workerSpec } from '../../protocol/index.ts';
import { UsageError } from '../failure.ts';
import { type Answer, type AnswerOptions, answer, onTarget } from './answers.ts';
import { serverHeaders } from './target.ts';

const listed = (json: WorkerListView): Answer => ({
  json,
  lines: json.workers.map(({ name, transport, url, is_default }) =>
    `${is_default ? '*' : ' '} ${name}  ${transport}  ${url ?? ''}`.trimEnd(),
  ),
});

const withList = (
  directory: string,
  options: AnswerOptions,
  work: (desk: Desk) => Promise<WorkerListView>,
): Promise<void> => onTarget(directory, options, async ({ desk }) => listed(await work(desk)));

export const listWorkers = (directory: string, options: AnswerOptions): Promise<void> =>
  withList(directory, options, (desk) => desk.workers());

export interface AddWorkerOptions extends AnswerOptions {
  readonly url: string;
  readonly transport: string;
  readonly runtimeId?: string;
  readonly tokenEnv?: string;
  readonly environment: string;
  readonly default?: boolean;
}

export function addWorker(directory: string, name: string, options: AddWorkerOptions): Promise<void> {
  const { url, transport, runtimeId, tokenEnv, environment } = options;
  if (transport !== 'direct' && transport !== 'signed') throw new UsageError('--transport: direct or signed');
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) throw new UsageError('--url: an http or https address');
  if (!['auto', 'locked', 'own'].includes(environment)) throw new UsageError('--environment: auto, locked or own');
  const config = {
    url,
    transport,
    ...(tokenEnv === undefined ? {} : { token_env: tokenEnv }),
    ...(environment === 'auto' ? {} : { environment }),
  };
  const given = { name, backend: 'executor', runtime_id: runtimeId ?? null, config };
  const { data: worker } = workerSpec.safeParse(given);
  if (!worker) throw new UsageError(`${name}: a name of letters, digits, dots, dashes and underscores, 64 at most`);
  return withList(directory, options, async (desk) => {
    const workers = await desk.defineWorker(worker);
    return options.default ? desk.chooseWorker(name) : workers;
  });
}

export const removeWorker = (directory: string, name: string, options: AnswerOptions): Promise<void> =>
  withList(directory, options, (desk) => desk.removeWorker(name));

export const chooseWorker = (directory: string, name: string | undefined, options: AnswerOptions): Promise<void> =>
  withList(directory, options, (desk) => desk.chooseWorker(name === undefined || name === 'local' ? null : name));

export interface SshOptions extends AnswerOptions {
  readonly name?: string;
  /** False with `--no-default`. */
  readonly default?: boolean;
  /** False with `--no-install`. */
  readonly install?: boolean;
  readonly stopRemote?: boolean;
}

export const addSshWorker = (target: string, options: SshOptions): Promise<void> =>
  answer(options, async () => {
    const body = {
      ssh_target: target,
      set_default: options.default ?? true,
      install: options.install ?? true,
      ...(options.name === undefined ? {} : { name: options.name }),
    };
    const json = await askServer(options, 'POST', '/workers/ssh', body);
    return { json, lines: [`started a worker on ${target}`] };
  });

export const removeSshWorker = (name: string, options: SshOptions): Promise<void> =>
  answer(options, async () => {
    const query = options.stopRemote ? '?stop_remote=true' : '';
    const json = await askServer(options, 'DELETE', `/workers/ssh/${encodeURIComponent(name)}${query}`);
    const isGone = json.torn_down === true;
    return { json, lines: [isGone ? `removed ${name}` : `there is no tunnel ${name}`], failed: !isGone };
  });

/** What a server says of one of its sessions. */
export async function askServer(
  { server, session }: AnswerOptions,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  if (server === undefined || session === undefined)
    throw new UsageError('workers behind ssh belong to a server: name it with --server and --session');
  const { ask } = remoteSession({ server, session, headers: serverHeaders() });
  return ask(z.looseObject({}), method, `/{session_id}${path}`, body ? { body } : {});
}
