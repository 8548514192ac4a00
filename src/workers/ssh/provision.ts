// Starts a worker on a machine that the user can log in to. Its secrets go over the command's input, never over its command
// line; what a former start of the same name left running is ended first.
import { onTarget, SshFailed } from './shell.ts';

export interface Launch {
  readonly target: string;
  readonly name: string;
  readonly remotePort: number;
  readonly launchId: string;
  readonly token: string;
}

const probe = `command -v svc-worker >/dev/null && echo worker=yes || echo worker=no; uname -sm`;

/** The id of the process that serves now. */
export async function provision({ target, name, remotePort, launchId, token }: Launch): Promise<number> {
  await onTarget(target, 'true', 15);
  const found = await onTarget(target, probe, 30);
  if (!found.includes('worker=yes'))
    throw new SshFailed(
      `${target} has no svc-worker on its path. Install this project there and put its bin/svc-worker.js on the path as svc-worker.`,
    );
  await stopRemote(target, name);
  const said = await onTarget(target, launchScript(name, remotePort), 30, `${launchId}\n${token}\n`);
  const pid = Number(said.trim());
  if (!Number.isSafeInteger(pid) || pid <= 0) throw new SshFailed(`${target} did not say which process it started.`);
  return pid;
}

/** \`name\` holds letters, digits, dots, dashes and underscores only. */
const launchScript = (name: string, port: number): string =>
  [
    'umask 077; mkdir -p ~/.svc',
    'read -r SVC_WORKER_LAUNCH_ID; read -r SVC_WORKER_TOKEN; export SVC_WORKER_LAUNCH_ID SVC_WORKER_TOKEN',
    `nohup svc-worker --host 127.0.0.1 --port ${port} > ~/.svc/worker-${name}.log 2>&1 < /dev/null & pid=$!`,
    `printf '{"pid":%s,"port":%s}' "$pid" ${port} > ~/.svc/worker-${name}.json; echo "$pid"`,
  ].join('\n');

/** Ends what a start of this name left; nothing is wrong when there is nothing. */
export async function stopRemote(target: string, name: string): Promise<void> {
  const file = `~/.svc/worker-${name}.json`;
  const script = `pid=$(sed -n 's/.*"pid":\\([0-9]*\\).*/\\1/p' ${file} 2>/dev/null); if [ -n "$pid" ] && kill "$pid" 2>/dev/null; then n=0; while kill -0 "$pid" 2>/dev/null && [ $n -lt 50 ]; do sleep 0.1; n=$((n+1)); done; kill -9 "$pid" 2>/dev/null; fi; rm -f ${file}; true`;
  await onTarget(target, script, 30);
}
