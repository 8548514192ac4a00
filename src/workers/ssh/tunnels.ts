// Workers that were started over ssh, each behind a tunnel of its own. A tunnel that breaks is opened again on the same
// ports; the worker's token lives here and nowhere else.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { workerHealthSchema } from '../../protocol/workers.ts';
import type { Wanted } from './install.ts';
import { logOf, provision, removeRemote, stopRemote } from './provision.ts';
import { openTunnel, SshFailed } from './shell.ts';

export interface SshWorker {
  readonly name: string;
  readonly ssh_target: string;
  readonly local_port: number;
  readonly remote_port: number;
  readonly remote_pid: number;
  readonly healthy: boolean;
  readonly executor_url: string;
}

export interface SshRequest extends Wanted {
  readonly name: string;
  readonly remotePort: number;
  readonly localPort: number | null;
}

export interface Removed {
  /** Why the far worker may still be there; the tunnel is closed all the same. */
  readonly problem: string | null;
}

export interface SshWorkers {
  /** Throws SshFailed. */
  establish(request: SshRequest): Promise<SshWorker>;
  list(): Promise<SshWorker[]>;
  /** Undefined when there was none. */
  remove(name: string, options: { readonly stopRemote: boolean }): Promise<Removed | undefined>;
  close(): void;
}

interface Tunnel {
  readonly request: SshRequest;
  readonly localPort: number;
  readonly launchId: string;
  readonly remotePid: number;
  process: ChildProcess;
  isClosed: boolean;
}

const healthMilliseconds = 10_000;
const longestPause = 60_000;

export function createSshWorkers(tokens: Map<string, string>): SshWorkers {
  const tunnels = new Map<string, Tunnel>();
  const establishing = new Set<string>();

  /** Opens the tunnel again whenever it ends, until it is closed. */
  async function keepOpen(tunnel: Tunnel): Promise<void> {
    for (let wait = 500; !tunnel.isClosed; wait = Math.min(2 * wait, longestPause)) {
      const begun = performance.now();
      await new Promise<void>((resolve) => {
        if (tunnel.process.exitCode !== null) resolve();
        tunnel.process.once('exit', () => resolve()).once('error', () => resolve());
      });
      if (tunnel.isClosed) return;
      if (performance.now() - begun > longestPause) wait = 500;
      await pause(wait, undefined, { ref: false });
      if (!tunnel.isClosed)
        tunnel.process = openTunnel(tunnel.request.target, tunnel.localPort, tunnel.request.remotePort);
    }
  }

  function shut(tunnel: Tunnel): void {
    tunnel.isClosed = true;
    tunnel.process.kill('SIGTERM');
    tunnels.delete(tunnel.request.name);
    tokens.delete(tunnel.request.name);
  }

  async function recordOf(tunnel: Tunnel): Promise<SshWorker> {
    const { request, localPort, remotePid, launchId } = tunnel;
    return {
      name: request.name,
      ssh_target: request.target,
      local_port: localPort,
      remote_port: request.remotePort,
      remote_pid: remotePid,
      healthy: (await launchIdAt(localPort)) === launchId,
      executor_url: `http://127.0.0.1:${localPort}/v1/execute`,
    };
  }

  async function open(request: SshRequest): Promise<SshWorker> {
    const [launchId, token] = [randomBytes(16).toString('base64url'), randomBytes(32).toString('base64url')];
    const remotePid = await provision({ ...request, launchId, token });
    const localPort = request.localPort ?? (await freePort());
    const process = openTunnel(request.target, localPort, request.remotePort);
    const tunnel: Tunnel = { request, localPort, launchId, remotePid, process, isClosed: false };
    const deadline = performance.now() + healthMilliseconds;
    while ((await launchIdAt(localPort)) !== launchId) {
      if (performance.now() > deadline || process.exitCode !== null) {
        tunnel.isClosed = true;
        process.kill('SIGTERM');
        const said = await logOf(request.target, request.name);
        await stopRemote(request.target, request.name).catch(() => {});
        throw new SshFailed(
          `The worker on ${request.target} did not answer through the tunnel as the one just started. Is port ${request.remotePort} free there? Its log, ~/.svc/worker-${request.name}.log, ends with: ${said || '(nothing)'}`,
        );
      }
      await pause(250);
    }
    tunnels.set(request.name, tunnel);
    tokens.set(request.name, token);
    void keepOpen(tunnel);
    return recordOf(tunnel);
  }

  return {
    async establish(request) {
      const { target, name } = request;
      if (target === '' || /\s/.test(target) || target.startsWith('-'))
        throw new SshFailed('The target must be a host, or user@host, as ssh takes it.');
      if (establishing.has(name)) throw new SshFailed(`The worker ${name} is being set up already.`);
      establishing.add(name);
      try {
        const before = tunnels.get(name);
        if (before) shut(before);
        return await open(request);
      } finally {
        establishing.delete(name);
      }
    },
    list: () => Promise.all([...tunnels.values()].map(recordOf)),
    async remove(name, options) {
      const tunnel = tunnels.get(name);
      if (!tunnel) return undefined;
      shut(tunnel);
      if (!options.stopRemote) return { problem: null };
      return removeRemote(tunnel.request.target, name).then(
        () => ({ problem: null }),
        (error: unknown) => ({
          problem: `The tunnel is closed and the worker no longer defined, but it could not be ended. ${error instanceof Error ? error.message : error}`,
        }),
      );
    },
    close() {
      for (const tunnel of tunnels.values()) shut(tunnel);
    },
  };
}

/** Who answers there; another listener must never be given the token. */
async function launchIdAt(port: number): Promise<string | null | undefined> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health`, { signal: AbortSignal.timeout(2000) });
    return workerHealthSchema.parse(await answer.json()).launch_id;
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  if (address === null || typeof address === 'string') throw new SshFailed('This machine has no free port.');
  return address.port;
}
