// The server's clock jumps by minutes to days, and back.
import fs from 'node:fs';
import path from 'node:path';
import { clockBy } from '../../kit/server.ts';
import type { Fault } from '../fault.ts';

const difference = (home: string): string => path.join(home, 'clock');

export const clockJump: Fault = {
  name: 'clock',
  says: 'the clock of the server jumps by a minute, an hour or a day, forward or back, and later returns',
  lastsBelow: 1500,
  needs: { env: (home) => clockBy(difference(home)) },
  async strike({ home, server, random }) {
    const seconds = random.pick([60, 3600, 86_400]) * random.pick([1, -1]);
    const set = (by: number): void => {
      fs.writeFileSync(difference(home), String(by));
      server.process.kill('SIGUSR2');
    };
    set(seconds);
    return { what: `by ${seconds} s`, lift: async () => set(0) };
  },
};
