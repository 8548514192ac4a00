// Plans of a table of many small files, and results that are found again.
import { kept, type Line } from '../line.ts';
import { requestsPerSecond } from '../load/load.ts';
import { order, server, startReady } from '../tables/reading.ts';
import { warehouse } from '../tables/warehouse.ts';

export const planUnknownFiles: Line = {
  name: 'plan of 2 000 files, nothing known',
  unit: 'ms',
  onlyFull: true,
  budget: { atMost: 1500 },
  async ours(context) {
    const program = await startReady(context);
    const began = performance.now();
    await order(context, program, 'small', {});
    const taken = performance.now() - began;
    await program.stop();
    return taken;
  },
};

export const planSmallFiles: Line = {
  name: 'plan of 2 000 files, from cached metadata',
  unit: 'ms',
  warmUp: true,
  onlyFull: true,
  budget: { atMost: 50 },
  async ours(context) {
    const program = await server(context);
    const began = performance.now();
    await order(context, program, 'small', { columns: ['id'] });
    return performance.now() - began;
  },
};

const storedSmall = kept(async (context) => {
  const program = await server(context);
  const params = { columns: ['v'], filters: [{ column: 'id', op: '<', value: 0 }] };
  // As an artifact, because a stream is only read, and its result stored, when somebody takes it.
  while (!(await order(context, program, 'small', params, { mode: 'artifact' })).hit);
  return program;
});

export const materializeHit: Line = {
  name: 'materialize hit over 8 connections',
  unit: 'per s',
  warmUp: true,
  onlyFull: true,
  budget: { atLeast: 3000 },
  async ours(context) {
    const program = await storedSmall(context);
    const transform = {
      executor: 'scan@v1',
      params: { columns: ['v'], filters: [{ column: 'id', op: '<', value: 0 }] },
    };
    const body = JSON.stringify({ inputs: [`${await warehouse(context)}#db.small`], transform });
    return requestsPerSecond(context, program, { path: '/v1/materialize', connections: 8, body });
  },
};
