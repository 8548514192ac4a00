// Cells that are written and run, here and on the worker: whatever is called ready shows what its text says.
import { type CellRecord, type ExecuteBody, executeBody } from '../../../src/protocol/index.ts';
import { findProgram } from '../../kit/parts.ts';
import { count, sending } from '../ledger.ts';
import { type World, workerName } from '../world.ts';
import { type Desk, type Step, saysNotDone, Wrong, wasDone } from './actor.ts';

export type Kind = 'here' | 'worker' | 'mount' | 'r';

export const hasR = findProgram('Rscript') !== undefined;

/** Where cells write what they show into their mount. */
export const mountedFile = 'kept.txt';

/** The text of a cell, and in its first line what it shows. */
function runnable(value: number, random: Desk['random'], { mount }: World, kind: Kind): string {
  const first = `# shows ${value}`;
  const bodies: readonly [string, ...string[]] = [
    `made = ${value}`,
    `import time\ntime.sleep(${random.below(400) / 1000})\nmade = ${value}`,
    `large = bytes(200_000)\nmade = ${value} + len(large) - 200_000`,
    `with open("seen.txt", "w") as file: file.write("${value}")\nmade = int(open("seen.txt").read())`,
    `print("x" * 5000)\nmade = sum([${value - 1}, 1])`,
  ];
  switch (kind) {
    case 'here':
      return `${first}\n${random.pick(bodies)}\nmade\n`;
    case 'worker':
      return `# @worker ${workerName}\n${first}\nmade = ${value}\nmade\n`;
    case 'mount':
      return `${mount.line}\n${first}\n(shelf / "${mountedFile}").write_text("${value}")\nmade_there = int((shelf / "${mountedFile}").read_text())\nmade_there\n`;
    case 'r':
      return `${first}\nmade_in_r <- ${value}L\ncat(made_in_r)\n`;
  }
}

/** NaN where the text says nothing. */
export const shownBy = (source: string): number => Number(/^# shows (-?\d+)$/m.exec(source)?.[1] ?? Number.NaN);

/** R prints, the others show. */
export const seenIn = (
  source: string,
  {
    display,
    stdout,
  }: { readonly display: ExecuteBody['display'] | CellRecord['display_output']; readonly stdout: string },
): unknown => (source.includes('made_in_r') ? Number(stdout) : display?.preview);

export function editAndRun(cell: string, kind: Kind): Step {
  const what = kind === 'here' ? 'run' : `run (${kind})`;
  return async ({ world, ledger, random, number }) => {
    const value = number();
    const source = runnable(value, random, world, kind);
    const sent = sending(ledger.cells, cell, source);
    const edited = await world.notebook.edit(cell, source);
    if (!wasDone(ledger, 'edit over REST', edited)) {
      if (saysNotDone(edited)) sent.refuse();
      return;
    }
    sent.acknowledge();
    const written = kind === 'mount' ? sending(ledger.mounted, mountedFile, String(value)) : undefined;
    const mode = random.pick(['normal', 'rerun', 'force']);
    const answer = await world.notebook.request('POST', `/cells/${cell}/execute?mode=${mode}`);
    if (!wasDone(ledger, what, answer)) {
      if (saysNotDone(answer)) written?.refuse();
      return;
    }
    const result = executeBody.parse(answer.json);
    if (result.status === 'error') {
      count(ledger, `${what} failed (${String(result.error).slice(0, 160)})`);
      return;
    }
    const seen = seenIn(source, result);
    if (seen !== value) throw new Wrong(`a run showed ${JSON.stringify(seen)}: ${source.slice(0, 80)}`);
    written?.acknowledge();
  };
}
