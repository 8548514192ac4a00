// A real relay in a process of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment } from './server.ts';

const svc = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));

export async function startRelayProgram(port: number, home: string): Promise<ChildProcess> {
  const relay = spawn(process.execPath, [svc, 'relay', '--port', String(port)], {
    env: cleanEnvironment(home),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(relay.stdout, 'data');
  return relay;
}

/** `kill -9`, and waits for its end. */
export async function killProcess(victim: ChildProcess): Promise<void> {
  if (victim.exitCode !== null || victim.signalCode !== null) return;
  const gone = once(victim, 'exit');
  victim.kill('SIGKILL');
  await gone;
}
