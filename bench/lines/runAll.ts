// Many cells in one go, each reading the one before.
import { type Context, kept, type Line } from '../line.ts';
import { type BenchSession, openBenchSession } from '../notebooks/session.ts';
import { ofCell, typed } from '../notebooks/socket.ts';
import { chain } from '../notebooks/sources.ts';

const sessionOf = (cells: number) =>
  kept(async (context: Context): Promise<BenchSession> => {
    const session = await openBenchSession(context, { sources: chain(cells) });
    await session.untilStatus(session.cell(-1), 'ready', 'notebook_run_all', {});
    return session;
  });

function runAll(cells: number, atMost: number, cached: boolean): Line {
  const open = sessionOf(cells);
  return {
    name: `run all of a chain of ${cells}, ${cached ? 'all' : 'none'} cached`,
    unit: 'ms',
    budget: { atMost },
    warmUp: true,
    async ours(context) {
      const session = await open(context);
      return session.untilStatus(session.cell(-1), 'ready', cached ? 'notebook_run_all' : 'notebook_rerun_all', {});
    },
  };
}

export const runChain = runAll(20, 250, false);
export const runChainCached: Line = { ...runAll(20, 20, true), onlyFull: true };
export const runChain200: Line = { ...runAll(200, 2500, false), onlyFull: true };

const edited = sessionOf(20);
let edits = 0;

export const editRootRunLeaf: Line = {
  name: 'edit the root, run the leaf of 20',
  unit: 'ms',
  budget: { atMost: 75 },
  onlyFull: true,
  warmUp: true,
  async ours(context) {
    const { socket, cell, untilStatus } = await edited(context);
    const [root, leaf] = [cell(0), cell(-1)];
    const began = performance.now();
    await untilStatus(root, 'idle', 'cell_source_update', { cell_id: root, source: `x0 = ${++edits + 1}` });
    const asked = socket.next(typed('cascade_prompt'), ofCell(leaf));
    socket.send('cell_execute', { cell_id: leaf });
    const plan = /"plan_id":"(\w+)"/.exec((await asked).text)?.[1];
    await untilStatus(leaf, 'ready', 'cell_execute_cascade', { cell_id: leaf, plan_id: plan });
    return performance.now() - began;
  },
};
