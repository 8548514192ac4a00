// The clock of a database that others share, told between the questions.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { followClock } from './sharedClock.ts';

const tick = 30_000;

it('tells the time of the database, whatever this process takes the time to be', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval', 'Date'], now: 0 });
  let asked = 0;
  let answer = async (): Promise<number> => 5_000;
  const clock = await followClock(() => {
    asked += 1;
    return answer();
  });
  const isAbout = (expected: number): void => assert.ok(Math.abs(clock.now() - expected) < 0.5, String(clock.now()));
  isAbout(5_000);

  // The clock of the machine was set; that of the database, too, and it is asked again.
  t.mock.timers.setTime(3_600_000);
  isAbout(5_000);
  answer = async () => 5_060;
  t.mock.timers.tick(tick);
  await new Promise(setImmediate);
  isAbout(5_060);

  answer = () => Promise.reject(new Error('away'));
  t.mock.timers.tick(tick);
  await new Promise(setImmediate);
  isAbout(5_060);

  clock.close();
  const before = asked;
  t.mock.timers.tick(tick);
  assert.equal(asked, before);
});
