// Runs a program in a process group of its own. Its lines are passed on as they come, without passwords of addresses; when
// it is cancelled or takes too long the whole group ends, so that no build goes on alone.
import { spawn } from 'node:child_process';
import { createLineSplitter, withPipes } from '../pipes/index.ts';
import { withoutPasswords } from './masked.ts';

export type Stream = 'stdout' | 'stderr';

export interface Command {
  readonly program: string;
  readonly args: readonly string[];
  /** As it is shown. */
  readonly shown: string;
  readonly directory: string;
  readonly env: NodeJS.ProcessEnv;
  readonly timeoutSeconds: number;
}

export interface CommandWatch {
  readonly signal: AbortSignal;
  readonly onLine: (stream: Stream, line: string) => void;
  readonly onStart?: (pid: number) => void;
}

export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  /** What the program said, without lines that only tell of progress. */
  readonly reason: string;

  constructor(message: string, reason: string) {
    super(message);
    this.reason = reason;
  }
}

/** What is kept of one stream for the message of a failure. */
const keptLines = 200;

export async function runCommand(command: Command, { signal, onLine, onStart }: CommandWatch): Promise<string> {
  const { program, args, shown, directory, env, timeoutSeconds } = command;
  signal.throwIfAborted();
  const said: Record<Stream, string[]> = { stdout: [], stderr: [] };
  const child = withPipes(
    spawn(program, [...args], { cwd: directory, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  let isLate = false;
  const end = (): void => endGroup(child.pid);
  const timer = setTimeout(() => {
    isLate = true;
    end();
  }, timeoutSeconds * 1000);
  signal.addEventListener('abort', end);
  if (child.pid !== undefined) onStart?.(child.pid);
  for (const stream of ['stdout', 'stderr'] as const) {
    const lines = createLineSplitter((line) => {
      const masked = withoutPasswords(line);
      said[stream].push(masked);
      if (said[stream].length > keptLines) said[stream].shift();
      onLine(stream, masked);
    });
    child[stream].on('data', (chunk: Buffer) => lines.push(chunk));
    child[stream].on('end', () => lines.end());
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', (error) => reject(new CommandFailed(`${shown} could not be started: ${error.message}`, '')));
    child.on('close', resolve);
  }).finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  });
  signal.throwIfAborted();
  if (isLate) throw new CommandFailed(`${shown} took longer than ${timeoutSeconds} seconds and was ended`, '');
  if (code === 0) return said.stdout.join('\n');
  const reason = said.stderr.join('\n').trim() || said.stdout.join('\n').trim() || `it ended with code ${code}`;
  throw new CommandFailed(`${program.split('/').at(-1)} ${args[0]} failed: ${reason}`, reason);
}

export function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}

/** As a shell would take it. */
export const quoted = (words: readonly string[]): string =>
  words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'"'"'`)}'`)).join(' ');
