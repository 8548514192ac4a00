// A server for an agent: the one that runs already, or one that is started beside the command and ended with it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { UsageError } from '../failure.ts';

export interface AgentServer {
  readonly isOurs: boolean;
  /** Resolves when a server of ours has ended by itself. */
  readonly ended: Promise<unknown>;
  stop(): Promise<void>;
}

const startMilliseconds = 30_000;
const stopMilliseconds = 10_000;
const lookMilliseconds = 200;

export async function serverFor(address: string, directory: string): Promise<AgentServer> {
  if (await isAlive(address)) {
    if (!(await speaksMcp(address)))
      throw new UsageError(`${address} does not serve agents: start it with SVC_MCP_ENABLED=true`);
    return { isOurs: false, ended: new Promise(() => {}), stop: async () => {} };
  }
  return startServer(address, directory);
}

const isAlive = (address: string): Promise<boolean> =>
  fetch(`${address}/health`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Anything but a missing route or the page. */
async function speaksMcp(address: string): Promise<boolean> {
  const { status, headers, body } = await fetch(`${address}/mcp/`);
  await body?.cancel();
  return status !== 404 && !(headers.get('content-type') ?? '').includes('text/html');
}

async function startServer(address: string, directory: string): Promise<AgentServer> {
  const { hostname, port } = new URL(address);
  const place = path.join(directory, '.svc/server.log');
  await fs.mkdir(path.dirname(place), { recursive: true });
  const log = await fs.open(place, 'a', 0o600);
  const child = spawn(process.execPath, [process.argv[1] ?? '', 'serve', '--host', hostname, '--port', port || '80'], {
    env: {
      ...process.env,
      SVC_DEPLOYMENT_MODE: 'personal',
      SVC_MCP_ENABLED: 'true',
      SVC_NOTEBOOK_STORAGE_DIR: path.dirname(directory),
    },
    stdio: ['ignore', log.fd, log.fd],
    // Ctrl-C is for this command, which ends the server in its own time.
    detached: true,
  });
  await log.close();
  const ended = once(child, 'exit');
  const stop = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), stopMilliseconds);
    await ended;
    clearTimeout(late);
  };
  const until = performance.now() + startMilliseconds;
  while (!(await isAlive(address))) {
    const isGone = child.exitCode !== null;
    if (isGone || performance.now() > until) {
      await stop();
      throw new UsageError(`the server ${isGone ? 'ended at once' : 'did not start in 30 seconds'}; see ${place}`);
    }
    await pause(lookMilliseconds);
  }
  return { isOurs: true, ended, stop };
}
