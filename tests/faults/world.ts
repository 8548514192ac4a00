// One round's service: its home, its store, its server through several lives, and one notebook that is worked in.
import fs from 'node:fs';
import path from 'node:path';
import { createTestNotebook, openTestNotebook, type TestNotebook } from '../kit/notebook.ts';
import { postgresPrograms } from '../kit/postgres.ts';
import type { RandomSource } from '../kit/random.ts';
import { type Environment, newHome, startServer, type TestServer } from '../kit/server.ts';
import { folderInStore, folderOnDisk, type MountedFolder } from './mounted.ts';
import type { NeighbourStore, NeighbourWorker, Surroundings } from './surroundings.ts';

/** What a fault needs to be there. */
export interface Needs {
  readonly database?: 'sqlite' | 'postgresql';
  readonly bytes?: 'folder' | 's3';
  readonly worker?: boolean;
  /** Made of the disk before the server starts; gives what takes it apart. */
  readonly disk?: (place: string) => Promise<() => Promise<void>>;
  readonly env?: (home: string) => Environment;
}

export interface World {
  readonly random: RandomSource;
  readonly surroundings: Surroundings;
  readonly home: string;
  /** Where store and notebooks lie. */
  readonly disk: string;
  readonly env: Environment;
  readonly database: 'sqlite' | 'postgresql';
  readonly bytes: 'folder' | 's3';
  readonly remote: NeighbourWorker | undefined;
  /** A folder beside the notebook, or one in the object store, that cells may write to. */
  readonly mount: MountedFolder;
  readonly objectStore: NeighbourStore | undefined;
  readonly server: TestServer;
  readonly notebook: TestNotebook;
  /** Whether the server has ended, by whoever. */
  isDead(): boolean;
  /** Another life of the server on the same home. */
  restart(): Promise<void>;
  /** What was printed in all lives. */
  output(): string;
  /** Opens the notebook in this life. */
  reopen(): Promise<TestNotebook>;
  /** `keep`: what lies there stays, to be looked at. */
  close(keep: boolean): Promise<void>;
}

export const workerName = 'lab';

export async function createWorld(surroundings: Surroundings, random: RandomSource, needs: Needs): Promise<World> {
  const home = fs.realpathSync(newHome());
  const disk = path.join(home, 'disk');
  fs.mkdirSync(disk);
  const unmake = await needs.disk?.(disk);
  // Drawn also where a fault decides, so that the rest of the round is the same.
  const drawn = draw(random, 'sqlite', 'postgresql', needs.database);
  const database = postgresPrograms() === undefined ? 'sqlite' : drawn;
  const bytes = draw(random, 'folder', 's3', needs.bytes);
  const objectStore = bytes === 's3' ? await surroundings.objectStore() : undefined;
  const isRemote = draw(random, false, true, needs.worker);
  const remote = isRemote ? await surroundings.remote() : undefined;
  const name = path.basename(home).toLowerCase().replaceAll(/\W/g, '_');
  const mount = objectStore ? folderInStore(objectStore, name) : folderOnDisk(path.join(disk, 'mounted'));
  const env: Environment = {
    SVC_NOTEBOOK_STORAGE_DIR: path.join(disk, 'notebooks'),
    SVC_ARTIFACT_DIR: path.join(disk, 'artifacts'),
    SVC_NOTEBOOK_ENV_BACKEND: 'shared',
    SVC_NOTEBOOK_SHARED_ENV_DIR: surroundings.environments,
    SVC_TRANSFORMS_CONFIG: JSON.stringify({
      enabled: true,
      registry: [{ ref: 'number@*', executor_url: surroundings.executor.url }],
    }),
    ...(database === 'postgresql'
      ? { SVC_ARTIFACT_METADATA_DSN: await (await surroundings.postgres()).newDatabase(name) }
      : {}),
    ...(objectStore ? { ...objectStore.settings, SVC_ARTIFACT_S3_PREFIX: name } : {}),
    ...surroundings.index.env,
    ...mount.env,
    ...needs.env?.(home),
  };
  let server = await startServer({ home, env });
  let earlier = '';
  let notebook = await createTestNotebook(server, 'Faults');
  if (remote) {
    const config = { url: `${remote.address}/v1/execute`, transport: random.pick(['direct', 'signed']) };
    const workers = [{ name: workerName, backend: 'executor', config }];
    const answer = await notebook.request('PUT', '/workers', { workers });
    if (answer.status !== 200) throw new Error(`The worker was refused: ${answer.text}`);
  }
  const isDead = (): boolean => server.process.exitCode !== null || server.process.signalCode !== null;
  return {
    random,
    surroundings,
    home,
    disk,
    env,
    database,
    bytes,
    remote,
    mount,
    objectStore,
    get server() {
      return server;
    },
    get notebook() {
      return notebook;
    },
    isDead,
    output: () => `${earlier}${server.output()}`,
    async restart() {
      earlier += `${server.output()}\n— ended with ${server.process.exitCode ?? server.process.signalCode}, started again —\n`;
      server = await startServer({ home, env });
    },
    async reopen() {
      notebook = await openTestNotebook(server, notebook.path);
      return notebook;
    },
    async close(keep) {
      await server.stop('SIGKILL');
      if (keep && unmake) fs.cpSync(disk, `${disk}-as-left`, { recursive: true, verbatimSymlinks: true });
      await unmake?.();
      if (!keep) fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function draw<T>(random: RandomSource, usual: T, rarer: T, decided: T | undefined): T {
  const drawn = random.below(4) === 0 ? rarer : usual;
  return decided ?? drawn;
}
