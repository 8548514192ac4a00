// What scans hold while they run: how much the server grows while it streams, and what its data processes need in all.
import type { Context, Line } from '../line.ts';
import { type ProcessFacts, processTree, totalMebibytes } from '../processTree.ts';
import type { RunningProgram } from '../programs/program.ts';
import { cold, server } from '../tables/reading.ts';

const lookMilliseconds = 25;

/** The most that was seen while the work went on. */
async function peakWhile(
  { pid }: RunningProgram,
  counted: (facts: ProcessFacts) => boolean,
  work: () => Promise<unknown>,
): Promise<number> {
  let peak = 0;
  const look = (): void => {
    peak = Math.max(peak, totalMebibytes(processTree(pid).filter(counted)));
  };
  const timer = setInterval(look, lookMilliseconds);
  await work().finally(() => clearInterval(timer));
  look();
  return peak;
}

const isData = ({ command }: ProcessFacts): boolean => command.includes('svc_engine');

export const streamingMemory: Line = {
  name: 'growth of the server while it streams 10 M × 8',
  unit: 'MiB',
  warmUp: true,
  onlyFull: true,
  budget: { atMost: 16 },
  async ours(context) {
    const program = await server(context);
    const before = totalMebibytes(processTree(program.pid).slice(0, 1));
    return (
      (await peakWhile(
        program,
        ({ pid }) => pid === program.pid,
        () => cold(context, program),
      )) - before
    );
  },
};

const memoryOfScan = async (context: Context, table: string, columns?: readonly string[]): Promise<number> => {
  const program = await server(context);
  return peakWhile(program, isData, () => cold(context, program, table, columns));
};

export const dataMemory: Line = {
  name: 'data processes while they scan rows, texts, 2 000 files, 3 and all of 500 columns: the most',
  unit: 'MiB',
  onlyFull: true,
  budget: { atMost: 600 },
  async ours(context) {
    return Math.max(
      await memoryOfScan(context, 'ten'),
      await memoryOfScan(context, 'strings'),
      await memoryOfScan(context, 'small'),
      await memoryOfScan(context, 'wide', ['c1', 'c200', 'c400']),
      await memoryOfScan(context, 'wide'),
    );
  },
};
