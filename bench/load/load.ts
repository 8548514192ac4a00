// Puts a running server under load and says how many requests it answered per second.
import { fileURLToPath } from 'node:url';
import type { Context } from '../line.ts';
import type { RunningProgram } from '../programs/program.ts';

const generator = fileURLToPath(new URL('./generator.ts', import.meta.url));

export interface Load {
  readonly path: string;
  readonly connections: number;
}

const warmUpMilliseconds = 300;
const measuredMilliseconds = 1000;

export async function requestsPerSecond(
  { sandbox }: Context,
  server: RunningProgram,
  { path, connections }: Load,
): Promise<number> {
  const args = [server.port, path, connections, warmUpMilliseconds, measuredMilliseconds].map(String);
  const child = await sandbox.start(process.execPath, [generator, ...args], { cwd: '/', env: process.env });
  const status = await child.ended;
  if (status !== 0) throw new Error(`The load on ${path} failed: ${child.lastOutput()}`);
  return Number(child.lastOutput());
}
