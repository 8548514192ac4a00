// `svc agent`: a notebook that a person watches while an agent works in it. Makes what is missing (the notebook, a server),
// tells the agent where it is, and takes away at the end what it started.
import fs from 'node:fs';
import path from 'node:path';
import { notebookFileName } from '../../notebook/index.ts';
import { loadSettings } from '../../settings/index.ts';
import { createViewedServer, ServerAway, ServerRefused } from '../../viewer/server.ts';
import { reasonOf, UsageError } from '../failure.ts';
import { scaffold } from '../notebook/files.ts';
import { serverHeaders } from '../notebook/target.ts';
import { askServer } from '../notebook/workers.ts';
import { writeAgentFiles } from './files.ts';
import { serverFor } from './server.ts';

export interface AgentOptions {
  readonly server?: string;
  readonly python?: string;
  /** False with `--no-env`. */
  readonly env: boolean;
  /** False with `--no-tui`. */
  readonly tui: boolean;
  readonly workerSsh?: string;
}

export async function startAgent(given: string, options: AgentOptions): Promise<void> {
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const address = (options.server ?? settings.tuiServer).replace(/\/+$/, '');
  const directory = await directoryFor(path.resolve(given), options);
  const server = await serverFor(address, directory);
  const signalled = untilSignal();
  try {
    const viewed = createViewedServer(address, serverHeaders());
    const { session_id: session } = await viewed.open(directory).catch((error: unknown) => {
      throw error instanceof ServerRefused || error instanceof ServerAway ? new UsageError(error.message) : error;
    });
    await writeAgentFiles(directory, address, session);
    if (options.workerSsh !== undefined) await addWorker(address, session, options.workerSsh);
    const lines = [
      `notebook: ${directory}`,
      `server: ${address}${server.isOurs ? ' (started here)' : ''}`,
      `session: ${session}`,
      `start an agent with: cd ${directory} && claude`,
    ];
    process.stdout.write(`${lines.join('\n')}\n`);
    if (options.tui) {
      const { watchInTerminal } = await import('../../viewer/index.ts');
      await watchInTerminal({ server: viewed, session });
    } else if (server.isOurs) await Promise.race([signalled, server.ended]);
  } finally {
    await server.stop();
  }
}

const untilSignal = (): Promise<void> =>
  new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve());
  });

async function directoryFor(place: string, { python, env }: AgentOptions): Promise<string> {
  if (fs.existsSync(path.join(place, notebookFileName))) return place;
  return scaffold(path.basename(place), { parent: path.dirname(place), python, env });
}

async function addWorker(server: string, session: string, target: string): Promise<void> {
  const body = { ssh_target: target, set_default: true };
  await askServer({ server, session }, 'POST', '/workers/ssh', body).catch((error: unknown) => {
    process.stderr.write(`warning: no worker on ${target}: ${reasonOf(error)}\n`);
  });
}
