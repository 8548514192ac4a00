// The bounded part of `npm run test:faults`: a few rounds with a fixed seed. Whatever goes wrong around a service under load, nothing
// that it answered for is lost, and it goes on by itself.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { allFaults } from './faults/faults/index.ts';
import { playRounds } from './faults/rounds.ts';

const chosen = ['server', 'cell', 'full-disk', 'descriptors'];
const skip = process.platform !== 'linux' && 'faults are made by the means of Linux';

it('a service under load loses nothing to a fault', { skip, timeout: 600_000 }, async (t) => {
  const faults = allFaults.filter(({ name }) => chosen.includes(name));
  const outcomes = await playRounds({
    rounds: chosen.length,
    firstSeed: 20_000,
    faults,
    say: (line) => t.diagnostic(line),
    onLeftOut: (fault, why) => t.diagnostic(`${fault.name} was left out: ${why}`),
  });
  assert.deepEqual(
    outcomes.flatMap(({ findings }) => findings),
    [],
  );
});
