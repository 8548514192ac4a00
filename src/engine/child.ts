// One Python process: its pipes, its messages, its log lines, its end. Knows nothing of queues or restarts. Whatever
// the process sent before it died is handed over before `onEnd`, which comes exactly once.

import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import { Readable, Writable } from 'node:stream';
import { z } from 'zod';
import { createLineSplitter, withPipes } from '../pipes/index.ts';
import { environmentForPrograms } from '../settings/index.ts';
import { createFrameReader } from './frames.ts';

const REQUESTS_FD = 3;
const ANSWERS_FD = 4;
const KEPT_LINES = 20;
/** A process that is gone may have left its pipes to one of its own children; they are not waited for. */
const PIPES_AFTER_EXIT_MS = 1000;

/** What Arrow holds in the process, in bytes, and the most it has held. */
const arrowMemory = z.object({ pool: z.string(), held: z.int(), highest: z.int() });
export type EngineMemory = z.infer<typeof arrowMemory>;

const messageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('ready'), protocol: z.literal(1), python: z.string() }),
  z.object({ kind: z.literal('begun'), id: z.int() }),
  z.object({ kind: z.literal('result'), id: z.int(), result: z.unknown(), memory: arrowMemory.optional() }),
  z.object({
    kind: z.literal('error'),
    id: z.int().nullable(), // null: the request could not even be read
    error: z.object({ type: z.string(), message: z.string() }),
    memory: arrowMemory.optional(),
  }),
]);

export type ChildMessage = z.infer<typeof messageSchema>;

export interface EngineCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  readonly cwd?: string | undefined;
  /** How far it stands back where cores are scarce, as Unix counts it. */
  readonly niceness?: number | undefined;
}

export interface ChildListener {
  onMessage(message: ChildMessage): void;
  onLine(stream: 'stdout' | 'stderr', line: string): void;
  onEnd(reason: string): void;
}

export interface PythonChild {
  readonly pid: number | undefined;
  /** The last lines of standard error, oldest first. */
  readonly lastLines: readonly string[];
  send(frame: Buffer): void;
  /** Ends the process at once. */
  kill(): void;
  /** Asks the process to end by closing its requests; it is killed when it has not after `graceMs`. */
  close(graceMs: number): void;
  readonly ended: Promise<void>;
}

export function startChild(command: EngineCommand, listener: ChildListener): PythonChild {
  const child = withPipes(
    spawn(command.command, [...command.args], {
      env: command.env ?? environmentForPrograms(),
      cwd: command.cwd,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    }),
  );
  standBack(child.pid, command.niceness ?? 0);
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>();
  const lastLines: string[] = [];
  let reason: string | undefined;
  let over = false;

  function end(fallback: string): void {
    if (over) return;
    over = true;
    listener.onEnd(reason ?? fallback);
    resolveEnded();
  }

  function distrust(problem: unknown): void {
    reason ??= `it broke the protocol (${problem instanceof Error ? problem.message : String(problem)})`;
    child.kill('SIGKILL');
  }

  const readFrames = createFrameReader((text) => {
    if (!over) listener.onMessage(messageSchema.parse(JSON.parse(text)));
  });
  const answers = child.stdio[ANSWERS_FD];
  if (answers instanceof Readable) {
    answers.on('data', (chunk: Buffer) => {
      if (reason !== undefined) return;
      try {
        readFrames(chunk);
      } catch (problem) {
        distrust(problem);
      }
    });
    ignoreErrors(answers);
  }

  const requests = child.stdio[REQUESTS_FD];
  if (requests instanceof Writable) ignoreErrors(requests);

  logLines(child.stdout, (line) => listener.onLine('stdout', line));
  logLines(child.stderr, (line) => {
    lastLines.push(line);
    if (lastLines.length > KEPT_LINES) lastLines.shift();
    listener.onLine('stderr', line);
  });

  child.on('error', (problem) => {
    if (child.pid === undefined) end(`${command.command} could not be run (${problem.message})`);
  });
  child.on('exit', (code, signal) => {
    reason ??= signal === null ? `it exited with status ${code}` : `it was ended by ${signal}`;
    const timer = setTimeout(() => destroyPipes(child), PIPES_AFTER_EXIT_MS);
    child.once('close', () => clearTimeout(timer));
  });
  child.on('close', () => end('its pipes were closed'));

  return {
    pid: child.pid,
    lastLines,
    send(frame) {
      if (requests instanceof Writable) requests.write(frame);
    },
    kill() {
      child.kill('SIGKILL');
    },
    close(graceMs) {
      if (requests instanceof Writable) requests.destroy();
      const timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
      void ended.then(() => clearTimeout(timer));
    },
    ended,
  };
}

function standBack(pid: number | undefined, niceness: number): void {
  if (pid === undefined || niceness === 0) return;
  try {
    os.setPriority(pid, niceness);
  } catch {
    // It has ended, or the system does not allow it: it stands where it stood.
  }
}

/** A broken pipe is seen again, with its reason, when the process ends. */
function ignoreErrors(stream: Readable | Writable): void {
  stream.on('error', () => {});
}

function logLines(stream: Readable | null, onLine: (line: string) => void): void {
  if (stream === null) return;
  const lines = createLineSplitter(onLine);
  stream.on('data', (chunk: Buffer) => lines.push(chunk));
  stream.on('close', () => lines.end());
  ignoreErrors(stream);
}

function destroyPipes(child: ChildProcess): void {
  for (const stream of child.stdio) stream?.destroy();
}
