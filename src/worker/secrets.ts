// Takes the worker's secrets out of its environment. Deleting a variable does not clear the block that the system shows in
// the process table, so a worker that was given secrets there starts itself anew without them and reads them from a file
// that it removes at once; until then no cell runs. npm, which waits beside a worker that it started, shows them no longer either.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { clearEnvironment } from '../../bin/clearedEnvironment.js';

const secretNames = [
  'SVC_WORKER_TOKEN',
  'SVC_WORKER_CONNECT_TOKEN',
  'SVC_NOTEBOOK_CREDENTIALS',
  'SVC_NOTEBOOK_MOUNT_CREDENTIALS',
  'SVC_PROXY_TOKEN',
  'SVC_NOTEBOOK_REMOTE_STORE_HEADERS',
];
const fileVariable = 'SVC_WORKER_SECRETS_FILE';

/** The environment with its secrets, for settings alone; `process.env` has none any more. May not return. */
export function takeSecrets(): NodeJS.ProcessEnv {
  const file = process.env[fileVariable];
  if (file !== undefined) {
    delete process.env[fileVariable];
    const kept: Record<string, string> = JSON.parse(fs.readFileSync(file, 'utf8'));
    fs.rmSync(path.dirname(file), { recursive: true });
    return { ...process.env, ...kept };
  }
  const found = secretNames.flatMap((name): [string, string][] => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  });
  const whole = { ...process.env };
  if (found.length > 0 && isRunByNpm()) clearEnvironment(process.ppid, (name) => secretNames.includes(name));
  for (const [name] of found) delete process.env[name];
  if (found.length > 0 && process.execve !== undefined && process.platform === 'linux') startAnew(found);
  return whole;
}

function startAnew(secrets: readonly (readonly [string, string])[]): void {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-worker-start-'));
  const file = path.join(folder, 'secrets.json');
  fs.writeFileSync(file, JSON.stringify(Object.fromEntries(secrets)), { mode: 0o600 });
  process.execve?.(process.execPath, [process.execPath, ...process.execArgv, ...process.argv.slice(1)], {
    ...process.env,
    [fileVariable]: file,
  });
}

/** npm starts one program and needs its variables no more. Others may start a worker again, and are told instead. */
function isRunByNpm(): boolean {
  if (process.env.npm_lifecycle_event === undefined) return false;
  try {
    return /(^|[\s/])npm(-cli\.js)?\s+run/.test(
      fs.readFileSync(`/proc/${process.ppid}/cmdline`, 'latin1').replaceAll('\0', ' '),
    );
  } catch {
    return false;
  }
}

/** Secrets that whoever started the worker still shows to every process of the same user. */
export function secretsOfParent(): string[] {
  try {
    const names = fs.readFileSync(`/proc/${process.ppid}/environ`, 'latin1').split('\0');
    return secretNames.filter((secret) =>
      names.some((entry) => entry.startsWith(`${secret}=`) && entry.length > secret.length + 1),
    );
  } catch {
    return [];
  }
}
