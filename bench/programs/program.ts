// A program that serves HTTP: how it is started on a port, and where it first answers. Whatever it would write to a home
// goes to a temporary folder.
import http from 'node:http';
import net from 'node:net';
import { NotMeasured } from '../notMeasured.ts';
import type { Child, Sandbox } from '../sandbox.ts';

export interface Program {
  readonly command: string;
  args(port: number): readonly string[];
  env?(port: number): Readonly<Record<string, string>>;
  /** Answers 200 as soon as the program serves. */
  readonly path: string;
}

export interface RunningProgram extends Child {
  readonly port: number;
  /** From the start of the process to the end of its first answer. */
  readonly startMilliseconds: number;
}

const patienceMilliseconds = 60_000;

export async function startProgram(
  { sandbox }: { readonly sandbox: Sandbox },
  program: Program,
): Promise<RunningProgram> {
  const port = await freePort();
  const home = sandbox.folder();
  const env = { ...homeEnvironment(home), ...program.env?.(port) };
  const began = performance.now();
  const child = await sandbox.start(program.command, program.args(port), { cwd: home, env });
  let over = false;
  void child.ended.then(() => {
    over = true;
  });
  for (;;) {
    const status = await statusOf(port, program.path);
    const elapsed = performance.now() - began;
    if (status === 200) return { ...child, port, startMilliseconds: elapsed };
    if (over) throw new Error(`${program.command} ended before it answered:\n${child.lastOutput()}`);
    if (elapsed > patienceMilliseconds) throw new NotMeasured(`no answer within ${patienceMilliseconds / 1000} s`);
    // Asking costs the machine something too: often enough for one per cent, not oftener.
    await new Promise((resolve) => setTimeout(resolve, Math.min(20, Math.max(1, elapsed / 100))));
  }
}

/** The machine's environment with a home of its own, and without what would change the programs that are measured. */
export function homeEnvironment(home: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(SVC_|STRATA_|MARIMO_|JUPYTER_|XDG_|OTEL_|NODE_|npm_)/.test(name),
  );
  return { ...Object.fromEntries(inherited), HOME: home, NO_COLOR: '1' };
}

/** Undefined while nobody listens. */
function statusOf(port: number, path: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path, agent: false }, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
      response.on('error', () => resolve(undefined));
    });
    request.on('error', () => resolve(undefined));
  });
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      server.close(() => resolve(port));
    });
  });
}
