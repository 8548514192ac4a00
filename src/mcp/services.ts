// What the tools of agents may reach, for one caller: their notebooks and nobody else's.
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArtifactUri } from '../artifacts/index.ts';
import {
  type AgentActivities,
  type AgentActivity,
  createDesk,
  createResultDesk,
  createWorkerDesk,
  type Desk,
  type ResultDesk,
  type ResultParts,
  type VariantView,
  variantsOf,
  type WorkerDesk,
  type WorkerParts,
  whileWanted,
} from '../desk/index.ts';
import { browseTable, type Engine } from '../engine/index.ts';
import type { FindPythons } from '../environments/index.ts';
import { refusals } from '../errors/index.ts';
import { intoFile, openOwnFile } from '../files/index.ts';
import { actAs, type Caller, reachesSession } from '../identity/index.ts';
import {
  discoverNotebooks,
  notebookRoot,
  type OpenSession,
  type OpenSessions,
  openNotebookRoot,
  resolveInside,
  toldState,
} from '../notebook/index.ts';
import type { Log } from '../observability/index.ts';
import type { Settings } from '../settings/index.ts';

export interface McpParts extends ResultParts {
  readonly settings: Settings;
  readonly remote: WorkerParts;
  readonly sessions: OpenSessions;
  readonly pythons: FindPythons;
  readonly data: () => Pick<Engine, 'request'>;
  readonly activities: AgentActivities;
  readonly stand: (sessionId: string, type: string, payload: object, holds: boolean) => void;
  readonly broadcast: (sessionId: string, type: string, payload: object) => void;
  readonly log: Pick<Log, 'warning' | 'info'>;
}

export interface TablePage {
  readonly session_id: string;
  readonly artifact_uri: string;
  readonly search: string | null;
  readonly sort_by: string | null;
  readonly descending: boolean;
  readonly limit: number;
  readonly offset: number;
}

export interface AgentAct {
  readonly tool: string;
  readonly sessionId: string | undefined;
  readonly cellId: string | undefined;
  readonly changes: boolean;
  readonly title: string;
  /** In the agent's own words. */
  readonly why: string | null;
  /** Whom it says to be. */
  readonly author: string | null;
}

export interface AgentServices {
  readonly caller: Caller;
  readonly log: Pick<Log, 'warning'>;
  /**
   * Does the work of a tool for the caller, in the notebook that it names; what changes something is written down, told to whoever
   * watches while it goes on, and stopped by them.
   */
  act<T>(act: AgentAct, work: (stopped: AbortSignal | undefined) => Promise<T>): Promise<T>;
  author(declared: string | null): string;
  openNotebooks(): object[];
  discover(): Promise<object[]>;
  create(wanted: { name: string; parent_path: string; python_version: string | null }): Promise<object>;
  open(place: string): Promise<object>;
  close(sessionId: string): Promise<object>;
  desk(sessionId: string): Desk;
  /** Of a name that several variants define. */
  variants(sessionId: string, name: string): readonly VariantView[] | undefined;
  workers(sessionId: string): WorkerDesk;
  results(sessionId: string): ResultDesk;
  /** Shows the notebook anew to whoever has it open. */
  tell(sessionId: string): void;
  environment(sessionId: string): object;
  syncEnvironment(sessionId: string, signal: AbortSignal): Promise<object>;
  readTable(page: TablePage): Promise<object>;
  saveOutput(sessionId: string, cellId: string, index: number): Promise<object>;
  /** A message of the agent to whoever has the notebook open. */
  note(sessionId: string, text: string): void;
  /** Tells them what a tool did; nobody is told of a notebook that was closed meanwhile. */
  announce(sessionId: string, text: string): void;
}

/** `client`: the name that the agent's program gave itself. */
export function createAgentServices(parts: McpParts, caller: Caller, client: string | null = null): AgentServices {
  const { settings, sessions } = parts;

  /** Somebody else's is as good as none. */
  function sessionOf(sessionId: string): OpenSession {
    const session = sessions.find(sessionId);
    if (!session || !reachesSession(caller, session)) throw refusals.notebookNotFound();
    session.touch();
    return session;
  }

  const activityOf = ({ live, sessionId }: OpenSession): AgentActivity =>
    parts.activities.of(live, (view) => parts.stand(sessionId, 'agent_activity', view, true));

  const tell = (sessionId: string): void =>
    parts.broadcast(sessionId, 'notebook_state', toldState(sessionOf(sessionId)));

  const opened = (session: OpenSession): object => {
    const { name, directory } = session.live.notebook();
    return { session_id: session.sessionId, name, path: directory };
  };

  return {
    caller,
    log: parts.log,
    act({ tool, title, sessionId, cellId, changes, why, author }, work) {
      const session = sessionId === undefined ? undefined : sessions.find(sessionId);
      return actAs(
        caller,
        async () => {
          const { principal } = caller;
          const told = { tool, ...(cellId === undefined ? {} : { cell_id: cellId }), ...(principal && { principal }) };
          if (changes) parts.log.info('An agent acts', told);
          if (!changes || !session || !reachesSession(caller, session)) return work(undefined);
          const who = principal ?? (author?.trim() || client || 'agent');
          return activityOf(session).during({ who, tool, title, cell_id: cellId ?? null, why }, work);
        },
        session?.live.notebook().id,
      );
    },
    author: (declared) => caller.principal ?? (declared?.trim() || 'agent'),
    openNotebooks: () =>
      onePerNotebook(
        sessions.list().filter((session) => reachesSession(caller, session)),
        caller,
      ).map(opened),
    discover: async () =>
      (await discoverNotebooks(notebookRoot(settings, caller))).map(({ name, path: place, updated_at }) => ({
        name,
        path: place,
        updated_at,
      })),
    async create({ name, parent_path, python_version }) {
      const found = await parts.pythons(({ version }) => version === (python_version ?? version));
      const versions = found.map(({ version }) => version);
      const version = python_version ?? versions[0];
      if (version === undefined || !versions.includes(version)) throw refusals.pythonNotAvailable(version ?? '3');
      const parent = await resolveInside(await openNotebookRoot(settings, caller), parent_path, 'parent path');
      const session = await sessions.create(parent, { name, pythonVersion: version }, caller);
      await session.environment.sync();
      const { sync_error } = session.environment.state();
      return { ...opened(session), ...(sync_error === null ? {} : { environment_error: sync_error }) };
    },
    async open(place) {
      const directory = await resolveInside(await openNotebookRoot(settings, caller), place, 'path');
      return opened(await sessions.open(directory, caller));
    },
    async close(sessionId) {
      const session = sessionOf(sessionId);
      // People may be in it, and an agent that was stopped has nothing there to end.
      const { stopped_by } = activityOf(session).view();
      if (stopped_by !== null) throw refusals.agentsStopped(stopped_by);
      if (session.live.runner.active()) throw refusals.closingWhileRunning();
      await sessions.close(sessionId, 'closed');
      return { closed: sessionId };
    },
    desk: (sessionId) => createDesk(sessionOf(sessionId), () => tell(sessionId)),
    variants: (sessionId, name) => variantsOf(sessionOf(sessionId).live, name),
    workers: (sessionId) => createWorkerDesk(sessionOf(sessionId), parts.remote),
    results: (sessionId) => createResultDesk(sessionOf(sessionId).live, parts, caller),
    tell,
    environment(sessionId) {
      const { environment, environment_job, dependencies } = sessionOf(sessionId).environment.payload();
      return { environment, environment_job, dependencies };
    },
    async syncEnvironment(sessionId, signal) {
      const session = sessionOf(sessionId);
      const { ended } = session.startJob({ action: 'sync' });
      const { status, error } = await whileWanted(signal, () => void session.environment.cancel(), ended);
      return { success: status === 'completed', error };
    },
    async readTable({ session_id, artifact_uri, search, sort_by, descending, limit, offset }) {
      const { live } = sessionOf(session_id);
      const address = parseArtifactUri(artifact_uri);
      if (!address || !(await live.artifact(address))) throw refusals.artifactNotInNotebook(artifact_uri);
      const view = {
        file: live.blobPath(address),
        filters: [],
        search,
        sortBy: sort_by,
        sortDir: descending ? 'desc' : 'asc',
      } as const;
      return browseTable(parts.data(), view, offset, limit);
    },
    async saveOutput(sessionId, cellId, index) {
      const { live } = sessionOf(sessionId);
      const { outputs: displays } = await createDesk(sessionOf(sessionId), () => {}).cell(cellId);
      const at = index < 0 ? displays.length + index : index;
      const output = displays[at];
      const address = parseArtifactUri(output?.artifact_uri ?? '');
      if (!output || !address) throw refusals.outputNotFound(cellId, displays.length, index);
      const target = path.join(
        live.directory,
        '.svc/outputs',
        `${cellId}-${at}.${extensions[output.content_type] ?? 'bin'}`,
      );
      await fs.mkdir(path.dirname(target), { recursive: true });
      const source = await openOwnFile(live.blobPath(address)).catch(() => {
        throw refusals.outputNotFound(cellId, displays.length, index);
      });
      // What stands there was put there by this, or by somebody who would have it written elsewhere.
      await fs.rm(target, { force: true });
      await pipeline(source.createReadStream(), intoFile(target, { flags: 'wx' }));
      const { size } = await fs.lstat(target);
      return { cell_id: cellId, index: at, path: target, content_type: output.content_type, bytes: size };
    },
    note(sessionId, text) {
      sessionOf(sessionId);
      parts.broadcast(sessionId, 'agent_note', { source: 'agent', text });
    },
    announce(sessionId, text) {
      if (sessions.find(sessionId)) parts.broadcast(sessionId, 'agent_note', { source: 'mcp', text });
    },
  };
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'text/markdown': 'md',
  'text/html': 'html',
  'json/object': 'json',
  'arrow/ipc': 'arrow',
  'pickle/object': 'pickle',
};

/** Colleagues each have a session on a notebook that they share: one's own, else that of whoever came first. */
function onePerNotebook(sessions: readonly OpenSession[], { principal }: Caller): readonly OpenSession[] {
  const found = new Map<string, OpenSession>();
  for (const session of sessions) {
    const { directory } = session.live;
    if (!found.has(directory) || session.principal === principal) found.set(directory, session);
  }
  return [...found.values()];
}
