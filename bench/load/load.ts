// Puts a running server under load and says how many requests it answered per second.
import { fileURLToPath } from 'node:url';
import type { Context } from '../line.ts';
import type { RunningProgram } from '../programs/program.ts';

const generator = fileURLToPath(new URL('./generator.ts', import.meta.url));

export interface Load {
  readonly path: string;
  readonly connections: number;
  /** JSON to be posted; without it the path is read. */
  readonly body?: string;
}

const warmUpMilliseconds = 300;
const measuredMilliseconds = 1000;

export async function requestsPerSecond(
  { sandbox }: Context,
  server: RunningProgram,
  { path, connections, body = '' }: Load,
): Promise<number> {
  const args = [server.port, path, connections, warmUpMilliseconds, measuredMilliseconds, body].map(String);
  const child = await sandbox.start(process.execPath, [generator, ...args], { cwd: '/', env: process.env });
  const status = await child.ended;
  if (status !== 0) throw new Error(`The load on ${path} failed: ${child.lastOutput()}`);
  return Number(child.lastOutput());
}
