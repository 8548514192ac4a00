// Packages that are added and removed, by one person: what was answered for is declared, installed, and nothing else is.
import { environmentBody } from '../../../src/protocol/index.ts';
import { sending } from '../ledger.ts';
import { packages } from '../surroundings.ts';
import type { World } from '../world.ts';
import { type Step, saysNotDone, wasDone } from './actor.ts';

export const changePackages: Step = async ({ world, ledger, random }) => {
  const name = random.pick(packages);
  const isAdded = ledger.packages.get(name)?.acknowledged !== 'declared';
  const sent = sending(ledger.packages, name, isAdded ? 'declared' : 'absent');
  const answer = isAdded
    ? await world.notebook.request('POST', '/dependencies', { package: name })
    : await world.notebook.request('DELETE', `/dependencies/${name}`);
  if (wasDone(ledger, `package ${isAdded ? 'added' : 'removed'}`, answer)) sent.acknowledge();
  else if (saysNotDone(answer)) sent.refuse();
};

/** What the environment says of itself, once no job runs; undefined before. */
export async function declaredIn({
  notebook,
}: World): Promise<{ state: string; declared: ReadonlySet<string> } | undefined> {
  const answer = await notebook.request('GET', '/environment');
  const { environment, environment_job, dependencies } = environmentBody.parse(answer.json);
  if (environment_job?.status === 'running') return undefined;
  const { sync_state, sync_error } = environment;
  return {
    // Of one that is ready the error is that of the last change, which was taken back.
    state: sync_state === 'ready' ? sync_state : `${sync_state}: ${sync_error}`,
    declared: new Set(dependencies.map(({ name }) => name)),
  };
}
