// One cell on a worker of the same machine, from the frame that asks for it to the frame that calls it ready.
import { type Context, kept, type Line } from '../line.ts';
import { medianOf, openBenchSession } from '../notebooks/session.ts';
import { svcWorker } from '../programs/own.ts';
import { startProgram } from '../programs/program.ts';

function onWorker(transport: 'direct' | 'signed', atMost: number): Line {
  const session = kept(async (context: Context) => {
    const { port } = await startProgram(context, svcWorker({ SVC_WORKER_ALLOW_LOCAL_HOSTS: '1' }));
    const config = `{ url = "http://127.0.0.1:${port}/v1/execute", transport = "${transport}" }`;
    const workers = [`{ name = "far", backend = "executor", config = ${config} }`];
    return openBenchSession(context, { sources: ['# @worker far\nx = 1'], workers });
  });
  return {
    name: `trivial cell on a worker, ${transport}`,
    unit: 'ms',
    budget: { atMost },
    onlyFull: true,
    warmUp: true,
    async ours(context) {
      const { cell, untilStatus } = await session(context);
      return medianOf(10, () => untilStatus(cell(0), 'ready', 'cell_execute_force'));
    },
  };
}

export const directCell = onWorker('direct', 25);
export const signedCell = onWorker('signed', 40);
