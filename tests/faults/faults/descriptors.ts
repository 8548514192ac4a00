// The server may open nothing more for a while.
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import { findProgram } from '../../kit/parts.ts';
import type { Fault } from '../fault.ts';

export const outOfDescriptors: Fault = {
  name: 'descriptors',
  says: 'the server may have only a few more files and connections open than it has (prlimit)',
  lastsBelow: 1500,
  unavailable: () => (findProgram('prlimit') === undefined ? 'prlimit is not installed' : undefined),
  async strike({ server, random }) {
    const pid = String(server.process.pid);
    const [, soft = '', hard = ''] =
      /Max open files\s+(\d+)\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
    const limit = fs.readdirSync(`/proc/${pid}/fd`).length + random.below(6);
    const set = (files: string): void => void execFileSync('prlimit', ['--pid', pid, `--nofile=${files}:${hard}`]);
    set(String(limit));
    return { what: `no more than ${limit} descriptors`, lift: async () => set(soft) };
  },
};
