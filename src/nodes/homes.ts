// The home of a notebook is the server that has it open: there is one. Servers that share a store write there which notebooks
// they have open, and say so again while they do; whoever is asked for one that another has open sends the caller on. Sessions
// outlive their server: what they are about is written too, and the server that is asked next goes on with them.
import path from 'node:path';
import { type Database, number, text, textOrNull } from '../database/index.ts';
import { Refusal } from '../errors/index.ts';
import type { Log } from '../observability/index.ts';

export interface Homes {
  /** False where there is one server: notebooks are open there, or nowhere. */
  readonly areSeveral: boolean;
  /** Makes this server the home of a notebook; the address of the one that is it already. */
  take(directory: string): Promise<string | undefined>;
  leave(directory: string): Promise<void>;
  /** Whether this other server has it open, as far as one can tell. */
  isAt(server: string, directory: string): Promise<boolean>;
  /** The other server that has it open. */
  of(directory: string): Promise<string | undefined>;
  /** From now on no other server opens a notebook there; gives those that have one open. */
  hold(root: string, seconds: number): Promise<readonly string[]>;
  /** What another server holds at a place or above it. */
  holdOver(place: string): Promise<HoldElsewhere | undefined>;
  /** Ends the hold; gives the other servers that hold something there. */
  release(root: string): Promise<readonly string[]>;
  note(session: KnownSession): Promise<void>;
  /** The session is over, and is not gone on with anywhere. */
  forget(sessionId: string): Promise<void>;
  /** Of a session that this server does not have. */
  find(sessionId: string): Promise<SessionPlace | undefined>;
  /** Tells of notebooks that another server has taken because this one was silent for too long. */
  keep(onLost: (directory: string) => void): void;
  close(): void;
}

export interface HoldElsewhere {
  readonly server: string;
  readonly root: string;
  readonly secondsLeft: number;
}

interface KnownSession {
  readonly sessionId: string;
  readonly directory: string;
  readonly tenant: string | null;
  readonly principal: string | null;
}

/** With the server that has it; or with none, when somebody can go on with it. */
export type SessionPlace = Omit<KnownSession, 'sessionId'> & { readonly server: string | undefined };

/** A notebook is open on another server. HTTP sends the caller on; others are told. */
export class HeldElsewhere extends Refusal {
  readonly server: string;
  readonly directory: string;

  constructor(server: string, directory: string) {
    super('unavailable', 'This notebook is open on another server of this service; ask there, or try again soon.', {
      retryAfterSeconds: 2,
    });
    this.server = server;
    this.directory = directory;
  }
}

export const noHomes: Homes = {
  areSeveral: false,
  take: async () => undefined,
  leave: async () => {},
  isAt: async () => false,
  of: async () => undefined,
  hold: async () => [],
  holdOver: async () => undefined,
  release: async () => [],
  note: async () => {},
  forget: async () => {},
  find: async () => undefined,
  keep() {},
  close() {},
};

/** A server that was killed is missed for so long. */
const homeSeconds = 15;
const sayAgainMilliseconds = 5000;
/** Nobody comes back to a session after this. */
const rememberedSeconds = 7 * 24 * 3600;

export interface HomesParts {
  readonly database: Database | undefined;
  /** This server as the others reach it; null where there are no others. */
  readonly nodeUrl: string | null;
  readonly log: Log;
}

const keyOf = (directory: string): string => `notebook:${directory}`;
const holdOf = (root: string): string => `hold:${root}`;

export async function createHomes({ database, nodeUrl, log }: HomesParts): Promise<Homes> {
  if (!database || nodeUrl === null) return noHomes;
  const { now } = database;
  const own = nodeUrl.replace(/\/$/, '');
  const open = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  // A server that starts has nothing open, whatever it had before it was killed.
  await database.run(
    "DELETE FROM stream_owners WHERE node_url = ? AND (stream_id LIKE 'notebook:%' OR stream_id LIKE 'hold:%')",
    [own],
  );
  await database.run('DELETE FROM notebook_sessions WHERE noted_at < ?', [now() - rememberedSeconds]);

  const homeOf = (directory: string): Promise<string | undefined> =>
    database.get(
      'SELECT node_url FROM stream_owners WHERE stream_id = ? AND expires_at > ?',
      [keyOf(directory), now()],
      (row) => text(row, 'node_url'),
    );

  async function take(directory: string): Promise<string | undefined> {
    await database?.run(
      `INSERT INTO stream_owners (stream_id, node_url, registered_at, expires_at) VALUES (?, ?, ?, ?)
       ON CONFLICT (stream_id) DO UPDATE SET node_url = excluded.node_url,
         registered_at = excluded.registered_at, expires_at = excluded.expires_at
       WHERE stream_owners.node_url = excluded.node_url OR stream_owners.expires_at < excluded.registered_at`,
      [keyOf(directory), own, now(), now() + homeSeconds],
    );
    const home = await homeOf(directory);
    return home === own ? undefined : home;
  }

  async function holdOver(place: string): Promise<HoldElsewhere | undefined> {
    const keys = foldersAbove(place).map(holdOf);
    return database?.get(
      `SELECT stream_id, node_url, expires_at FROM stream_owners WHERE stream_id IN (${keys.map(() => '?').join(', ')}) AND expires_at > ? AND node_url <> ?`,
      [...keys, now(), own],
      (row) => ({
        server: text(row, 'node_url'),
        root: text(row, 'stream_id').slice(holdOf('').length),
        secondsLeft: number(row, 'expires_at') - now(),
      }),
    );
  }

  async function othersBelow(root: string): Promise<readonly string[]> {
    const rows = await database?.all(
      "SELECT stream_id, node_url FROM stream_owners WHERE stream_id LIKE 'notebook:%' AND expires_at > ? AND node_url <> ?",
      [now(), own],
      (row) => ({ key: text(row, 'stream_id'), server: text(row, 'node_url') }),
    );
    const inside = (rows ?? []).filter(({ key }) => `${key}/`.startsWith(`${keyOf(root)}/`));
    return [...new Set(inside.map(({ server }) => server))];
  }

  return {
    areSeveral: true,
    async of(directory) {
      const home = await homeOf(directory);
      return home === own ? undefined : home;
    },
    holdOver,
    async hold(root, seconds) {
      await database.run(
        `INSERT INTO stream_owners (stream_id, node_url, registered_at, expires_at) VALUES (?, ?, ?, ?)
         ON CONFLICT (stream_id) DO UPDATE SET node_url = excluded.node_url, expires_at = excluded.expires_at`,
        [holdOf(root), own, now(), now() + seconds],
      );
      return othersBelow(root);
    },
    async release(root) {
      const placed = await database.get(
        'SELECT node_url FROM stream_owners WHERE stream_id = ?',
        [holdOf(root)],
        (row) => text(row, 'node_url'),
      );
      await database.run('DELETE FROM stream_owners WHERE stream_id = ?', [holdOf(root)]);
      const others = await othersBelow(root);
      return placed === undefined || placed === own ? others : [...new Set([...others, placed])];
    },
    isAt: async (server, directory) => (await homeOf(directory).catch(() => server)) === server,
    async take(directory) {
      const other = await take(directory);
      if (other !== undefined) return other;
      // Looked for after it was taken: whoever holds it meanwhile sees that it was.
      const held = await holdOver(directory);
      if (held === undefined) open.add(directory);
      else await leave(directory);
      return held?.server;
    },
    leave,
    note: ({ sessionId, directory, tenant, principal }) =>
      quietly('noted', () =>
        database.run(
          `INSERT INTO notebook_sessions (session_id, directory, tenant, principal, noted_at) VALUES (?, ?, ?, ?, ?)
           ON CONFLICT (session_id) DO UPDATE SET noted_at = excluded.noted_at`,
          [sessionId, directory, tenant, principal, now()],
        ),
      ),
    forget: (sessionId) =>
      quietly('forgotten', () => database.run('DELETE FROM notebook_sessions WHERE session_id = ?', [sessionId])),
    async find(sessionId) {
      const known = await database.get(
        'SELECT directory, tenant, principal FROM notebook_sessions WHERE session_id = ?',
        [sessionId],
        (row) => ({
          directory: text(row, 'directory'),
          tenant: textOrNull(row, 'tenant'),
          principal: textOrNull(row, 'principal'),
        }),
      );
      if (known === undefined) return undefined;
      const home = await homeOf(known.directory);
      return { ...known, server: home === own ? undefined : home };
    },
    keep(onLost) {
      timer = setInterval(() => {
        for (const directory of open)
          void take(directory).then(
            (other) => {
              if (other !== undefined && open.delete(directory)) onLost(directory);
            },
            (error: unknown) => log.warning('Other servers could not be told which notebooks are open here', { error }),
          );
      }, sayAgainMilliseconds).unref();
    },
    close: () => clearInterval(timer),
  };

  async function leave(directory: string): Promise<void> {
    open.delete(directory);
    await quietly('left', async () =>
      database?.run('DELETE FROM stream_owners WHERE stream_id = ? AND node_url = ?', [keyOf(directory), own]),
    );
  }

  async function quietly(what: string, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => log.warning(`A notebook or session could not be ${what}`, { error }));
  }
}

/** With the folder itself. */
function foldersAbove(directory: string): string[] {
  const above = path.dirname(directory);
  return above === directory ? [directory] : [directory, ...foldersAbove(above)];
}
