// How many files and connections a process may have open, changed while it runs (Linux, util-linux).
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { findProgram } from './parts.ts';

export const descriptorsMissing = (): string | undefined =>
  findProgram('prlimit') === undefined ? 'prlimit is not installed' : undefined;

/** Lets a process open only so many more; gives the limit, and what lifts it. */
export function limitDescriptors(pid: number | undefined, more = 0): { readonly limit: number; lift(): void } {
  const [, soft = '', hard = ''] =
    /Max open files\s+(\d+)\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
  // The limit is one of numbers: below the first that is free nothing more can be opened.
  const open = new Set(fs.readdirSync(`/proc/${pid}/fd`).map(Number));
  let limit = 3;
  while (open.has(limit)) limit += 1;
  limit += more;
  const set = (files: string): void =>
    void execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:${hard}`]);
  set(String(limit));
  return { limit, lift: () => set(soft) };
}
