// The home of a notebook is the server that has it open: there is one. Servers that share a store write there which notebooks
// they have open, and say so again while they do; whoever is asked for one that another has open sends the caller on. Sessions
// outlive their server: what they are about is written too, and the server that is asked next goes on with them.
import { type Database, text, textOrNull } from '../database/index.ts';
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
  note(session: KnownSession): Promise<void>;
  /** The session is over, and is not gone on with anywhere. */
  forget(sessionId: string): Promise<void>;
  /** Of a session that this server does not have. */
  find(sessionId: string): Promise<SessionPlace | undefined>;
  /** Tells of notebooks that another server has taken because this one was silent for too long. */
  keep(onLost: (directory: string) => void): void;
  close(): void;
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

export async function createHomes({ database, nodeUrl, log }: HomesParts): Promise<Homes> {
  if (!database || nodeUrl === null) return noHomes;
  const { now } = database;
  const own = nodeUrl.replace(/\/$/, '');
  const open = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  // A server that starts has nothing open, whatever it had before it was killed.
  await database.run("DELETE FROM stream_owners WHERE node_url = ? AND stream_id LIKE 'notebook:%'", [own]);
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

  return {
    areSeveral: true,
    isAt: async (server, directory) => (await homeOf(directory).catch(() => server)) === server,
    async take(directory) {
      const other = await take(directory);
      if (other === undefined) open.add(directory);
      return other;
    },
    async leave(directory) {
      open.delete(directory);
      await quietly('left', () =>
        database.run('DELETE FROM stream_owners WHERE stream_id = ? AND node_url = ?', [keyOf(directory), own]),
      );
    },
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

  async function quietly(what: string, work: () => Promise<unknown>): Promise<void> {
    await work().catch((error: unknown) => log.warning(`A notebook or session could not be ${what}`, { error }));
  }
}
