import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nothingTouched, type ToldEffects } from './effects.ts';
import { mayTouchFiles, orderedBy, runSchedule } from './schedule.ts';

/** Runs a schedule whose steps end when the test says so, and records what happens. */
function rehearse(waits: Record<string, string[]>, atOnce: number, stopAt?: string) {
  const story: string[] = [];
  const ends = new Map<string, () => void>();
  const over = runSchedule({
    steps: Object.keys(waits),
    waitsFor: (step) => waits[step] ?? [],
    atOnce,
    run(step) {
      story.push(`${step} begins`);
      return new Promise((resolve) =>
        ends.set(step, () => {
          story.push(`${step} ends`);
          resolve(step !== stopAt);
        }),
      );
    },
  });
  const end = async (step: string): Promise<void> => {
    ends.get(step)?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { story, end, over };
}

describe('a schedule', () => {
  it('gives a cluster as many cells as it has room for, whatever this machine has', async () => {
    const cluster = { name: 'cluster', atOnce: 32, isApart: true };
    const steps = ['here', ...Array.from({ length: 200 }, (_, index) => `cell ${index}`), 'here too'];
    const [running, most] = [new Set<string>(), { here: 0, there: 0 }];
    await runSchedule({
      steps,
      waitsFor: () => [],
      atOnce: 1,
      laneOf: (step) => (step.startsWith('cell') ? cluster : undefined),
      async run(step) {
        running.add(step);
        const there = [...running].filter((one) => one.startsWith('cell')).length;
        most.there = Math.max(most.there, there);
        most.here = Math.max(most.here, running.size - there);
        await new Promise((resolve) => setImmediate(resolve));
        return running.delete(step);
      },
    });
    assert.deepEqual(most, { here: 1, there: 32 });
  });

  it('runs a chain one after the other', async () => {
    const { story, end, over } = rehearse({ a: [], b: ['a'], c: ['b'] }, 8);
    for (const step of ['a', 'b', 'c']) await end(step);
    await over;
    assert.deepEqual(story, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('runs branches at once, and what joins them after both', async () => {
    const { story, end, over } = rehearse({ root: [], left: ['root'], right: ['root'], join: ['left', 'right'] }, 8);
    for (const step of ['root', 'right', 'left', 'join']) await end(step);
    await over;
    assert.deepEqual(story, [
      'root begins',
      'root ends',
      'left begins',
      'right begins',
      'right ends',
      'left ends',
      'join begins',
      'join ends',
    ]);
  });

  it('keeps to the number that may run at once, the first in order first', async () => {
    const { story, end, over } = rehearse({ a: [], b: [], c: ['a'], d: [] }, 2);
    for (const step of ['b', 'a', 'd', 'c']) await end(step);
    await over;
    assert.deepEqual(story, ['a begins', 'b begins', 'b ends', 'd begins', 'a ends', 'c begins', 'd ends', 'c ends']);
  });

  it('starts nothing after a step said stop, and waits for what runs', async () => {
    const { story, end, over } = rehearse({ a: [], b: [], c: [] }, 2, 'a');
    await end('a');
    await end('b');
    await over;
    assert.deepEqual(story, ['a begins', 'b begins', 'a ends', 'b ends']);
  });

  it('does not wait for what is not a step', async () => {
    const { story, end, over } = rehearse({ a: ['elsewhere', 'a'] }, 1);
    await end('a');
    await over;
    assert.deepEqual(story, ['a begins', 'a ends']);
  });
});

describe('the order of steps that no variable joins', () => {
  const touching = (effects: Partial<ToldEffects>): ToldEffects => ({ ...nothingTouched, ...effects });
  const order = (effects: Record<string, ToldEffects | undefined>): Record<string, readonly string[]> =>
    Object.fromEntries(orderedBy(Object.keys(effects), (step) => effects[step]));

  it('is theirs when nobody knows what one of them touches', () => {
    assert.deepEqual(order({ a: nothingTouched, b: undefined, c: nothingTouched, d: undefined }), {
      a: [],
      b: ['a'],
      c: ['b'],
      d: ['b', 'c'],
    });
  });

  it('counts between whoever writes a file and whoever reads, writes or lists it', () => {
    const writes = touching({ written: ['work/out/x'] });
    const meets = (other: Partial<ToldEffects>): boolean =>
      order({ writes, other: touching(other) }).other?.includes('writes') === true;
    assert.deepEqual(
      [{ read: ['work/out/x'] }, { written: ['work/out/x'] }, { listed: ['work/out'] }, { unwatched: 1 }].map(meets),
      [true, true, true, true],
    );
    assert.deepEqual([{ read: ['work/y'] }, { listed: ['work/other'] }, { clock: true }, {}].map(meets), [
      false,
      false,
      false,
      false,
    ]);
  });

  it('counts for settings of the whole process, of which nobody is seen to use them, and not for those of a library', () => {
    const waits = (setting: string): boolean =>
      order({ sets: touching({ settings_made: [setting] }), other: nothingTouched }).other?.includes('sets') === true;
    const ofProcess = ['folder', 'path', 'environment', 'warnings', 'recursion limit', 'results', 'arguments'];
    assert.deepEqual([...ofProcess, 'pandas'].map(waits), [...ofProcess.map(() => true), false]);
  });

  it('counts for programs and hosts, which may do anything, and not among readers', () => {
    const program = touching({ programs: ['make'] });
    const reader = touching({ read: ['work/x'] });
    assert.deepEqual(order({ program, reader, again: program, plain: nothingTouched, other: reader }), {
      program: [],
      reader: ['program'],
      again: ['program', 'reader'],
      plain: [],
      other: ['program', 'again'],
    });
  });
});

describe('cells that may touch files', () => {
  it('are told by the words of their text', () => {
    const touching = [
      'open("x")',
      'df.to_csv("x")',
      'pd.read_csv("x")',
      'Path("x")',
      'plt.savefig("a.png")',
      'import os',
    ];
    assert.deepEqual(touching.filter(mayTouchFiles), touching);
    assert.deepEqual(['x = y + 1', 'model.fit(a, b)', 'df.groupby("a").sum()'].filter(mayTouchFiles), []);
  });
});
