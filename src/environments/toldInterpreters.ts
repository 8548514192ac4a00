// Interpreters that others know of: uv, and version managers whose folders we do not know. Asking takes a second or more.
import { execFile } from 'node:child_process';
import { z } from 'zod';
import { interpretersHere, type Machine, pathWithoutShims } from '../../scripts/setup/interpreters.js';
import { askPython } from '../../scripts/setup/python.js';
import { programEnvironment } from './uv.ts';

const uvList = z.array(
  z.looseObject({
    path: z.string().nullable(),
    implementation: z.string(),
    variant: z.string().default('default'),
    version_parts: z.object({ major: z.int(), minor: z.int() }),
  }),
);

export interface Question {
  readonly uv: string | undefined;
  readonly machine: Machine;
  readonly signal: AbortSignal;
}

/** Undefined when uv did not answer: then nothing is known. */
export async function toldInterpreters(question: Question): Promise<readonly string[] | undefined> {
  const [listed, behind] = await Promise.all([listedByUv(question), behindShims(question)]);
  return listed && [...listed, ...behind];
}

async function behindShims({ machine }: Question): Promise<readonly string[]> {
  const { shims } = await interpretersHere(machine);
  const answers = await Promise.all(shims.map(askPython));
  return answers.flatMap((python) => python?.command ?? []);
}

function listedByUv({
  uv,
  machine: { env },
  signal,
}: Question): Promise<readonly string[] | undefined> | readonly string[] {
  if (uv === undefined) return [];
  const args = ['python', 'list', '--only-installed', '--no-python-downloads', '--output-format', 'json'];
  // uv would start every shim on the path.
  const { HOME, UV_PYTHON_INSTALL_DIR } = env;
  const surroundings = programEnvironment({ HOME, UV_PYTHON_INSTALL_DIR, PATH: pathWithoutShims(env) });
  return new Promise((resolve) => {
    execFile(uv, args, { timeout: 10_000, env: surroundings, signal }, (error, stdout) =>
      resolve(error ? undefined : readList(stdout)),
    );
  });
}

function readList(text: string): readonly string[] | undefined {
  const list = uvList.safeParse(parsed(text));
  return list.data?.flatMap(({ path, implementation, variant, version_parts: { major, minor } }) =>
    path !== null && implementation === 'cpython' && variant === 'default' && major === 3 && minor >= 10 ? [path] : [],
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
