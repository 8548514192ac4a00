// Runs uv on a notebook. Its lines are passed on as they come; a failure carries what uv said.
import { spawn } from 'node:child_process';

export interface UvRun {
  readonly command: string;
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly durationMs: number;
}

export interface UvOptions {
  readonly uv: string;
  readonly directory: string;
  readonly args: readonly string[];
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void;
  readonly signal?: AbortSignal;
}

export function runUv({ uv, directory, args, onOutput, signal }: UvOptions): Promise<UvRun> {
  const began = performance.now();
  return new Promise((resolve, reject) => {
    // An environment that the server itself runs in must not be taken for the notebook's; and packages that are built run
    // code of their own, which has no business with the server's settings.
    const env = Object.fromEntries(
      Object.entries(process.env).filter(([name]) => name !== 'VIRTUAL_ENV' && !name.startsWith('SVC_')),
    );
    const child = spawn(uv, [...args], {
      cwd: directory,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(signal ? { signal } : {}),
    });
    const collected = { stdout: '', stderr: '' };
    for (const stream of ['stdout', 'stderr'] as const) {
      child[stream].on('data', (chunk: Buffer) => {
        collected[stream] += chunk.toString();
        onOutput?.(stream, chunk.toString());
      });
    }
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({
        command: `uv ${args.join(' ')}`,
        code,
        ...collected,
        durationMs: Math.round(performance.now() - began),
      });
    });
  });
}
