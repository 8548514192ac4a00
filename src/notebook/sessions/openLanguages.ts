// What the cells of an open notebook are made of and read from: languages, workers, mounts, tables, pages. What a run
// reaches is what whoever asked for it may reach.
import { lockedBlock, lockedLibraryBlock, type NotebookEnvironment } from '../../environments/index.ts';
import type { Runtime } from '../../runtimes/index.ts';
import {
  createLanguages,
  type Languages,
  openSqlSnapshots,
  type RemoteCells,
  type RParts,
  remoteCells,
  type SqlParts,
} from '../languages/index.ts';
import {
  createOutside,
  datasetReader,
  fetchReader,
  localMountReader,
  openFetchCache,
  openWorkerEnvironments,
  remoteMountReader,
  tableReader,
} from '../outside/index.ts';
import type { SessionTables } from '../run/index.ts';
import type { People } from './people.ts';
import type { SessionParts } from './sessionParts.ts';

export interface CellLanguages {
  readonly languages: Languages;
  readonly remote: RemoteCells;
  readonly sql: SqlParts;
  readonly tables: SessionTables;
}

export interface CellProcesses {
  readonly environment: Pick<NotebookEnvironment, 'state'>;
  readonly runtime: () => Runtime | undefined;
  readonly r: Pick<RParts, 'processes' | 'user'>;
}

export async function openLanguages(
  parts: SessionParts,
  directory: string,
  people: Pick<People, 'caller' | 'session'>,
  { environment, runtime, r }: CellProcesses,
): Promise<CellLanguages> {
  const principal = (): string | null => people.caller().principal;
  const tables = parts.tables(people.caller, directory);
  const remote = remoteCells({
    workers: parts.workers,
    find: parts.catalog.find,
    environment: (language) =>
      language === 'r' ? lockedLibraryBlock(directory) : lockedBlock(directory, environment.state().python_version),
    caller: people.caller,
    origin: parts.origin,
  });
  const mountReaders = [
    localMountReader({ objection: parts.mountObjection, lend: parts.lend }),
    tableReader(tables),
    datasetReader({ registry: () => parts.registry(people.caller()), directory }),
    remoteMountReader({ ...parts.mounts, principal, isElsewhere: remote.isElsewhere }),
  ];
  const outside = createOutside([
    fetchReader({ cache: await openFetchCache(directory), policy: parts.network }),
    ...mountReaders,
    await openWorkerEnvironments({ directory, environmentOf: remote.environmentOf }),
  ]);
  const sql = {
    ...parts.sql,
    mounts: createOutside(mountReaders),
    principal,
    objection: parts.mountObjection,
    snapshots: await openSqlSnapshots(directory),
  };
  const languages = createLanguages({
    python: {
      analysis: parts.analysis,
      runtime,
      mayRunHere: parts.mayRunHere,
      outside,
      remote,
      ambient(seconds) {
        const url = parts.address();
        const session = people.session();
        if (url === null || !session) return undefined;
        const { sessionId } = session;
        const { token, end } = parts.runTokens.mint({ caller: people.caller(), sessionId, seconds });
        return { url, token, promoteUrl: `${url}/v1/notebooks/${sessionId}`, end };
      },
    },
    prompt: { ...parts.prompt, onUsage: (usage) => parts.onModelAnswer(people.caller(), usage) },
    javascript: { ...parts.javascript, user: r.user, mayRunHere: parts.mayRunHere, outside },
    r: { ...parts.r, ...r, mayRunHere: parts.mayRunHere, outside, remote },
    sql,
  });
  return { languages, remote, sql, tables };
}
