// Finds the worker program on another machine, or brings it there: into `~/.svc/worker`, with everything that it makes, so
// that removing that folder leaves nothing behind.
import os from 'node:os';
import { version } from '../../version.ts';
import { makeParcel } from './parcel.ts';
import { onTarget, SshFailed } from './shell.ts';

export interface Wanted {
  readonly target: string;
  /** Whether it may be brought there. */
  readonly install: boolean;
  /** The one version that will do. */
  readonly pin: string | null;
}

const oldestNode = 26;
const here = `${os.type()} ${os.machine()}`;

/** For a script of `sh`: what comes first, and the command itself. */
export interface Program {
  readonly before: string;
  readonly command: string;
}

export async function programOn({ target, install, pin }: Wanted): Promise<Program> {
  const parcel = await makeParcel();
  const folder = `"$HOME/.svc/worker/program-${parcel.key}"`;
  const found = factsOf(await onTarget(target, probe(folder), 30));
  const fits = (there: string | undefined): boolean => there !== undefined && (pin === null || there === pin);
  if (fits(found.get('version'))) return { before: '', command: 'svc-worker' };
  const copied = { before: setPlaces(folder), command: '"$node" "$folder/bin/svc-worker.js"' };
  if (fits(found.get('copy'))) return copied;
  if (!install)
    throw new SshFailed(
      `${target} has no svc-worker${pin === null ? '' : ` ${pin}`} on its path. Install it there, or let it be installed (install: true).`,
    );
  if (!fits(version))
    throw new SshFailed(
      `This server installs svc-worker ${version}, not ${pin}. Leave out the pin, or install it there.`,
    );
  const withNode = Number.parseInt(found.get('node') ?? '0', 10) < oldestNode;
  if (withNode && found.get('platform') !== here) throw new SshFailed(noNode(target, found));
  await onTarget(target, unpack(folder), 600, parcel.open({ withNode }));
  return copied;
}

const noNode = (target: string, found: ReadonlyMap<string, string>): string =>
  `${target} has ${found.has('node') ? `Node ${found.get('node')}` : 'no Node on its path'}, and that of this server is for ${here}, not for ${found.get('platform')}. Install Node ${oldestNode} or newer there, so that \`ssh ${target} node --version\` answers, then try again.`;

/** `name=value` lines, without those whose value is empty. */
const factsOf = (said: string): Map<string, string> =>
  new Map([...said.matchAll(/^(\w+)=(.+)$/gm)].map(([, name = '', value = '']) => [name, value]));

/** The Node that came with the copy, else the one of the machine. */
const setNode = (folder: string): string => `folder=${folder}; node=$folder/node; [ -x "$node" ] || node=node;`;

const setPlaces = (folder: string): string =>
  `${setNode(folder)} export SVC_WORKER_ENV_ROOT="\${SVC_WORKER_ENV_ROOT:-$HOME/.svc/worker/envs}" SVC_NOTEBOOK_MOUNT_CACHE_DIR="\${SVC_NOTEBOOK_MOUNT_CACHE_DIR:-$HOME/.svc/worker/mounts}";`;

const probe = (folder: string): string =>
  [
    `printf 'version=%s\\n' "$(svc-worker --version 2>/dev/null </dev/null)"`,
    `printf 'platform=%s\\n' "$(uname -sm)"`,
    `printf 'node=%s\\n' "$(node --version 2>/dev/null </dev/null | tr -d v)"`,
    `${setNode(folder)} printf 'copy=%s\\n' "$("$node" "$folder/bin/svc-worker.js" --version 2>/dev/null </dev/null)"`,
  ].join('\n');

/** Renamed into place when all is there; copies of other versions go when no worker runs. Without uv it runs all the same. */
const unpack = (folder: string): string =>
  [
    `set -e; umask 077; folder=${folder}; new=$folder.new.$$; mkdir -p "$new/.tools"; trap 'rm -rf "$new"' EXIT`,
    'tar -xzf - -C "$new"',
    'node=$new/node; [ -x "$node" ] || node=node',
    '"$node" "$new/scripts/setup.js" --quiet --for python </dev/null',
    '"$node" "$new/scripts/setup.js" --quiet --for uv </dev/null 2>"$new/.tools/uv.log" || true',
    'rm -rf "$folder"; mv "$new" "$folder"',
    `ls ~/.svc/worker-*.json >/dev/null 2>&1 || find ~/.svc/worker -maxdepth 1 -name 'program-*' ! -path "$folder" -mmin +60 -exec rm -rf {} +`,
  ].join('\n');
