// Starts a worker on a machine that the user can log in to, and ends it. Its secrets go over the command's input, never over
// its command line; what a former start of the same name left running is ended first.
import { type Program, programOn, type Wanted } from './install.ts';
import { onTarget, SshFailed } from './shell.ts';

export interface Launch extends Wanted {
  readonly name: string;
  readonly remotePort: number;
  readonly launchId: string;
  readonly token: string;
}

/** The id of the process that serves now. */
export async function provision(launch: Launch): Promise<number> {
  const { target, name, remotePort, launchId, token } = launch;
  await onTarget(target, 'true', 15);
  const program = await programOn(launch);
  await stopRemote(target, name);
  const said = await onTarget(target, launchScript(program, name, remotePort), 30, `${launchId}\n${token}\n`);
  const pid = Number(said.trim());
  if (!Number.isSafeInteger(pid) || pid <= 0) throw new SshFailed(`${target} did not say which process it started.`);
  return pid;
}

/** `name` holds letters, digits, dots, dashes and underscores only. */
const launchScript = ({ before, command }: Program, name: string, port: number): string =>
  [
    'umask 077; mkdir -p ~/.svc',
    'read -r SVC_WORKER_LAUNCH_ID; read -r SVC_WORKER_TOKEN; export SVC_WORKER_LAUNCH_ID SVC_WORKER_TOKEN',
    before,
    `nohup ${command} --host 127.0.0.1 --port ${port} > ~/.svc/worker-${name}.log 2>&1 < /dev/null & pid=$!`,
    `printf '{"pid":%s,"port":%s}' "$pid" ${port} > ~/.svc/worker-${name}.json; echo "$pid"`,
  ].join('\n');

/** Ends what a start of this name left; nothing is wrong when there is nothing. */
export async function stopRemote(target: string, name: string): Promise<void> {
  await onTarget(target, stopScript(name), 30);
}

/** The last lines that it wrote. */
export const logOf = (target: string, name: string): Promise<string> =>
  onTarget(target, `tail -c 600 ~/.svc/worker-${name}.log`, 15).then(
    (text) => text.trim(),
    () => '',
  );

/** Ends it and takes away what starting it made; the program goes with the last worker of the account. */
export async function removeRemote(target: string, name: string): Promise<void> {
  const script = [
    stopScript(name),
    `rm -f ~/.svc/worker-${name}.log; ls ~/.svc/worker-*.json >/dev/null 2>&1 || rm -rf ~/.svc/worker`,
    'rmdir ~/.svc 2>/dev/null; true',
  ];
  await onTarget(target, script.join('\n'), 60);
}

/** A number that was written down before a restart of the machine may be another process by now: it must look like ours. */
const stopScript = (name: string): string =>
  [
    `file=~/.svc/worker-${name}.json; pid=$(sed -n 's/.*"pid":\\([0-9]*\\).*/\\1/p' "$file" 2>/dev/null)`,
    `isOurs() { [ -n "$pid" ] && { ps -o args= -p "$pid" 2>/dev/null || tr '\\0' ' ' 2>/dev/null < "/proc/$pid/cmdline"; } | grep -q svc-worker; }`,
    'if isOurs && kill "$pid"; then n=0; while kill -0 "$pid" 2>/dev/null && [ $n -lt 50 ]; do sleep 0.1; n=$((n+1)); done; isOurs && kill -9 "$pid"; fi',
    'rm -f "$file"',
  ].join('\n');
