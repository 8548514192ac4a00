// Commands on another machine over the user's own ssh: its keys, its known hosts, its configuration. Nothing is ever asked
// on a terminal.
import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { withPipes } from '../../pipes/index.ts';

export class SshFailed extends Error {
  override name = 'SshFailed';
}

export const sshOptions = ['-o', 'BatchMode=yes', '-o', 'ConnectTimeout=10', '-o', 'ServerAliveInterval=15'];

/**
 * Runs a script of `sh`, whatever shell the user has there. Throws SshFailed with what ssh or the script said. `input` is
 * written to the script.
 */
export async function onTarget(
  target: string,
  script: string,
  seconds: number,
  input: string | Readable = '',
): Promise<string> {
  const child = withPipes(
    spawn('ssh', [...sshOptions, target, `exec sh -c ${quoted(script)}`], {
      stdio: ['pipe', 'pipe', 'pipe'],
    }),
  );
  let isLate = false;
  const late = setTimeout(() => {
    isLate = true;
    child.kill('SIGKILL');
  }, seconds * 1000);
  // What keeps a script from reading on, it says itself.
  void pipeline(typeof input === 'string' ? [input] : input, child.stdin).catch(() => {});
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject);
    child.on('close', resolve);
  });
  try {
    const [said, complaint, code] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
    if (code === 0) return said;
    if (isLate)
      throw new SshFailed(`${target} took longer than ${seconds} s. Is it reachable, and is its disk in order?`);
    throw new SshFailed(`${target}: ${complaint.trim().slice(-500) || `ssh ended with ${code ?? 'a signal'}`}`);
  } catch (error) {
    if (error instanceof SshFailed) throw error;
    throw new SshFailed(`ssh could not be started: ${error instanceof Error ? error.message : error}`);
  } finally {
    clearTimeout(late);
  }
}

const quoted = (script: string): string => `'${script.replaceAll("'", "'\\''")}'`;

/**
 * Forwards a port of this machine to one of the target. The far command reads until its input ends, so that the tunnel ends
 * with the server, however that one ends.
 */
export const openTunnel = (target: string, localPort: number, remotePort: number): ChildProcess =>
  spawn(
    'ssh',
    [
      ...sshOptions,
      '-o',
      'ExitOnForwardFailure=yes',
      '-L',
      `127.0.0.1:${localPort}:127.0.0.1:${remotePort}`,
      target,
      'cat',
    ],
    { stdio: ['pipe', 'ignore', 'ignore'] },
  );
