// How long a user waits from starting a server to its first answer, with caches warm, as on every start but the first.
import type { Line, Measure } from '../line.ts';
import { plainNode, svcServer } from '../programs/own.ts';
import type { PeerName } from '../programs/peers.ts';
import { type Program, startProgram } from '../programs/program.ts';

function startOf(program: Program): Measure {
  return async (context) => {
    const running = await startProgram(context, program);
    await running.stop();
    return running.startMilliseconds;
  };
}

const startOfPeer =
  (name: PeerName): Measure =>
  async (context) =>
    startOf(await context.peer(name))(context);

export const serverStart: Line = {
  name: 'server start → first answer',
  unit: 'ms',
  budget: { atMost: 500 },
  warmUp: true,
  ours: startOf(svcServer()),
  limits: { 'plain Node server': startOf(plainNode) },
  peers: {
    marimo: startOfPeer('marimo'),
    'strata-notebook': startOfPeer('strata-notebook'),
    'jupyter-server': startOfPeer('jupyter-server'),
  },
};
