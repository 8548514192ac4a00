// Homes that go away when the tests of a file have ended.
import fs from 'node:fs';
import { after } from 'node:test';
import { newHome } from './server.ts';

const homes: string[] = [];
after(() => {
  for (const home of homes) fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});

/** By its real path. */
export function emptyHome(): string {
  const home = fs.realpathSync(newHome());
  homes.push(home);
  return home;
}
