// The processes of a service, told apart by what they were started as.
import fs from 'node:fs';

export interface Seen {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function seenOf(pid: number): Seen | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    if (/[ZX]/.test(state)) return undefined;
    const command = fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return { pid, parent: Number(parent), command };
  } catch {
    return undefined; // it has just ended
  }
}

function everybody(): Seen[] {
  return fs
    .readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => seenOf(Number(name)) ?? []);
}

export const isAlive = (pid: number): boolean => seenOf(pid) !== undefined;

/** Everything below a process, parents first. */
export function descendantsOf(pid: number): Seen[] {
  const all = everybody();
  const below = [pid];
  const found: Seen[] = [];
  for (let at = 0; at < below.length; at++)
    for (const one of all.filter(({ parent }) => parent === below[at])) {
      found.push(one);
      below.push(one.pid);
    }
  return found;
}

/** Processes that were started with this home, wherever they hang now. */
export function processesOf(home: string): Seen[] {
  return everybody().filter(({ pid }) => {
    try {
      return fs.readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(`HOME=${home}`);
    } catch {
      return false;
    }
  });
}

const isZygote = ({ command }: Seen): boolean => / zygote \{/.test(command);

const roles = {
  'data engine': ({ command }: Seen) => /svc_engine\/__main__\.py data$/.test(command),
  'analysis engine': ({ command }: Seen) => /svc_engine\/__main__\.py analysis$/.test(command),
  zygote: (one: Seen, all: readonly Seen[]) =>
    isZygote(one) && !all.some((other) => other.pid === one.parent && isZygote(other)),
  /** Started afresh for what cannot be loaded before a fork. */
  'spare interpreter': ({ command }: Seen) => /svc_runtime cell \{/.test(command),
  /** Forked from a zygote: one that runs a cell, or one that waits for the next. */
  cell: (one: Seen, all: readonly Seen[]) =>
    isZygote(one) && all.some((other) => other.pid === one.parent && isZygote(other)),
};

export type Role = keyof typeof roles;

export function processesIn(role: Role, server: number): number[] {
  const all = descendantsOf(server);
  return all.filter((one) => roles[role](one, all)).map(({ pid }) => pid);
}
