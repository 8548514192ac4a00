// The interpreter of cells that bring no locked environment: the one that the operator named, else that of the environment
// in which the worker was started, else the first python3 of the path. What is installed there is told as a digest, so that
// a result is known by what it ran with.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { findProgram } from '../files/index.ts';
import { failed } from './refused.ts';

export interface OwnEnvironment {
  /** `3.13.1` */
  readonly python: string;
  /** Of the interpreter's build, and the names and versions of all that is installed for it. */
  readonly digest: string;
}

export interface OwnPython {
  /** Throws when no interpreter can be used. */
  interpreter(): Promise<string>;
  /** What is installed now; null when there is no interpreter. */
  environment(): Promise<OwnEnvironment | null>;
  /** What it was when it was last looked at. */
  readonly known: OwnEnvironment | null;
}

export interface OwnPythonParts {
  /** What the operator named; null: look for one. */
  readonly given: string | null;
  /** What cells see of the worker's environment. */
  readonly variables: Readonly<Record<string, string | undefined>>;
}

interface Probed {
  readonly command: string;
  readonly environment: OwnEnvironment;
  readonly folders: readonly string[];
  /** When the folders were last changed. */
  readonly state: string;
}

const probeMilliseconds = 60_000;
const oldest = [3, 10] as const;
/** Folders of the path alone are listed: reading what each package says of itself would take a second. */
const probe = `import json, os, sys, sysconfig
folders = [place for place in sys.path[1:] if os.path.isdir(place)]
meta = os.path.join(sys.prefix, "conda-meta")
if os.path.isdir(meta):
    folders.append(meta)
found = set()
for place in folders:
    endings = (".json",) if place == meta else (".dist-info", ".egg-info", ".egg-link")
    found.update(name for name in os.listdir(place) if name.endswith(endings))
build = [sys.implementation.name, sys.version, sysconfig.get_platform(), getattr(sys, "abiflags", "")]
print(json.dumps([sys.executable, list(sys.version_info[:3]), build, sorted(found), folders]))`;
const texts = z.array(z.string());
const answerSchema = z.tuple([z.string().min(1), z.array(z.int()), texts, texts, texts]);

export function createOwnPython({ given, variables }: OwnPythonParts): OwnPython {
  let current: Promise<Probed> | undefined;
  let known: OwnEnvironment | null = null;

  /** Asked once, and again where it went wrong: somebody may have mended it. */
  function found(): Promise<Probed> {
    current ??= firstUsable(candidates(given, variables), variables).then(
      (probed) => {
        known = probed.environment;
        return probed;
      },
      (error: unknown) => {
        current = undefined;
        throw error;
      },
    );
    return current;
  }

  return {
    get known() {
      return known;
    },
    interpreter: async () => (await found()).command,
    async environment() {
      try {
        const { folders, state } = await found();
        // Whatever installs or removes a package changes the folder that it lies in.
        if ((await stateOf(folders)) !== state) current = undefined;
        return (await found()).environment;
      } catch {
        known = null;
        return null;
      }
    },
  };
}

/** What is wrong with an interpreter that the operator named; undefined when nothing is. */
export async function pythonProblem(
  command: string,
  variables: OwnPythonParts['variables'],
): Promise<string | undefined> {
  const probed = await askPython(command, variables);
  return typeof probed === 'string' ? probed : undefined;
}

interface Candidate {
  readonly command: string;
  /** Where it was named. */
  readonly origin: string;
}

function candidates(given: string | null, variables: OwnPythonParts['variables']): Candidate[] {
  if (given !== null) return [{ command: given, origin: '--python' }];
  const ofFolder = (name: string): Candidate[] => {
    const folder = variables[name];
    return folder ? [{ command: path.join(folder, 'bin/python'), origin: name }] : [];
  };
  const onPath = findProgram('python3', variables.PATH ?? '');
  return [
    ...ofFolder('VIRTUAL_ENV'),
    ...ofFolder('CONDA_PREFIX'),
    ...(onPath === undefined ? [] : [{ command: onPath, origin: 'PATH' }]),
  ];
}

async function firstUsable(listed: readonly Candidate[], variables: OwnPythonParts['variables']): Promise<Probed> {
  const problems: string[] = [];
  for (const { command, origin } of listed) {
    const probed = await askPython(command, variables);
    if (typeof probed !== 'string') return probed;
    problems.push(`${origin}: ${probed}`);
  }
  const tried = problems.length === 0 ? 'no python3 is on its PATH' : problems.join('; ');
  throw failed(
    500,
    `This worker has no Python of its own to run the cell in (${tried}). Start it with --python and the path of a Python 3.10 or newer, or inside an environment that has one.`,
  );
}

/** What it is, or in words why it cannot be used. */
async function askPython(command: string, variables: OwnPythonParts['variables']): Promise<Probed | string> {
  if (!existsSync(command)) return `${command} does not exist`;
  try {
    const { stdout } = await promisify(execFile)(command, ['-c', probe], {
      timeout: probeMilliseconds,
      env: { ...variables },
      cwd: '/',
    });
    const said = JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
    const [executable, version, build, installed, folders] = answerSchema.parse(said);
    const [major = 0, minor = 0] = version;
    const python = version.join('.');
    if (major !== oldest[0] || minor < oldest[1]) return `${command} is Python ${python}, and 3.10 or newer is needed`;
    const digest = createHash('sha256')
      .update(JSON.stringify([build, installed]))
      .digest('hex');
    return { command: executable, environment: { python, digest }, folders, state: await stateOf(folders) };
  } catch {
    return `${command} does not run as a Python 3`;
  }
}

async function stateOf(folders: readonly string[]): Promise<string> {
  const times = folders.map((folder) =>
    fs.stat(folder).then(
      ({ mtimeMs }) => mtimeMs,
      () => null,
    ),
  );
  return JSON.stringify(await Promise.all(times));
}
