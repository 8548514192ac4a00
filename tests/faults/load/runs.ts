// Cells that are written and run, here and on the worker: whatever is called ready shows what its text says.
import { executeBody } from '../../../src/protocol/index.ts';
import { count, sending } from '../ledger.ts';
import { workerName } from '../world.ts';
import { type Desk, type Step, saysNotDone, Wrong, wasDone } from './actor.ts';

/** The text of a cell, and in its first line what it shows. */
export function runnable(value: number, random: Desk['random'], isRemote = false): string {
  const first = isRemote ? `# @worker ${workerName}\n# shows ${value}` : `# shows ${value}`;
  const bodies: readonly [string, ...string[]] = [
    `made = ${value}`,
    `import time\ntime.sleep(${random.below(400) / 1000})\nmade = ${value}`,
    `large = bytes(200_000)\nmade = ${value} + len(large) - 200_000`,
    `with open("seen.txt", "w") as file: file.write("${value}")\nmade = int(open("seen.txt").read())`,
    `print("x" * 5000)\nmade = sum([${value - 1}, 1])`,
  ];
  return `${first}\n${isRemote ? `made = ${value}` : random.pick(bodies)}\nmade\n`;
}

export const shownBy = (source: string): number => Number(/^# shows (-?\d+)$/m.exec(source)?.[1]);

export function editAndRun(cell: string, isRemote = false): Step {
  const what = isRemote ? 'run on a worker' : 'run';
  return async ({ world, ledger, random, number }) => {
    const source = runnable(number(), random, isRemote);
    const sent = sending(ledger.cells, cell, source);
    const edited = await world.notebook.edit(cell, source);
    if (!wasDone(ledger, 'edit over REST', edited)) {
      if (saysNotDone(edited)) sent.refuse();
      return;
    }
    sent.acknowledge();
    const mode = random.pick(['normal', 'rerun', 'force']);
    const answer = await world.notebook.request('POST', `/cells/${cell}/execute?mode=${mode}`);
    if (!wasDone(ledger, what, answer)) return;
    const { status, display, error } = executeBody.parse(answer.json);
    if (status === 'error') count(ledger, `${what} failed (${String(error).slice(0, 160)})`);
    else if (display?.preview !== shownBy(source))
      throw new Wrong(`a run showed ${JSON.stringify(display?.preview)}: ${source.slice(0, 80)}`);
  };
}
