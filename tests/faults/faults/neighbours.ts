// kill -9 of what the service uses and others watch over: they start it again a moment later.
import { postgresPrograms } from '../../kit/postgres.ts';
import type { Fault } from '../fault.ts';
import type { Neighbour } from '../surroundings.ts';
import type { Needs, World } from '../world.ts';

const killed = (
  name: string,
  says: string,
  needs: Needs,
  find: (world: World) => Promise<Neighbour | undefined>,
): Fault => ({
  name,
  says,
  needs,
  lastsBelow: 1500,
  async strike(world) {
    const neighbour = await find(world);
    await neighbour?.kill();
    return { what: name, lift: async () => neighbour?.start() };
  },
});

export const neighbourFaults: readonly Fault[] = [
  {
    ...killed('postgresql', 'kill -9 of PostgreSQL, which is started again', { database: 'postgresql' }, (world) =>
      world.surroundings.postgres(),
    ),
    unavailable: () => (postgresPrograms() === undefined ? 'PostgreSQL is not installed' : undefined),
  },
  killed(
    'object-store',
    'kill -9 of the front of the object store: everything under way breaks, nothing can be reached until it is started again',
    { bytes: 's3' },
    async (world) => world.objectStore,
  ),
  killed(
    'worker',
    'kill -9 of the worker, which is started again',
    { worker: true },
    async (world) => world.remote?.worker,
  ),
  killed(
    'relay',
    'kill -9 of the relay before the worker, which is started again',
    { worker: true },
    async (world) => world.remote?.relay,
  ),
];
