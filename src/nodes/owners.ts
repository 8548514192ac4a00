// Which server of a deployment holds a stream, a cell that a worker pulls, a call of an agent. Servers
// that share a store write their claims there, the newest counts; one that is asked for what it does not hold knows who
// does. A store that does not answer is as good as no claim.
import { type Database, text } from '../database/index.ts';
import type { Log } from '../observability/index.ts';

export interface Owners {
  /** This server holds it, from now on for so long. */
  claim(id: string, seconds: number): Promise<void>;
  /** This server holds it no more. */
  release(id: string): Promise<void>;
  /** The address of another server that holds it. */
  otherOwner(id: string): Promise<string | undefined>;
}

export interface OwnersParts {
  readonly database: Database | undefined;
  /** This server as the others reach it; null where there are no others. */
  readonly nodeUrl: string | null;
  readonly log: Log;
}

export const alone: Owners = {
  claim: async () => {},
  release: async () => {},
  otherOwner: async () => undefined,
};

export function createOwners({ database, nodeUrl, log }: OwnersParts): Owners {
  if (!database || nodeUrl === null) return alone;
  const { now } = database;
  const own = nodeUrl.replace(/\/$/, '');
  return {
    async claim(id, seconds) {
      try {
        await database.run('DELETE FROM stream_owners WHERE expires_at < ?', [now()]);
        await database.run(
          `INSERT INTO stream_owners (stream_id, node_url, registered_at, expires_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (stream_id) DO UPDATE SET node_url = excluded.node_url,
             registered_at = excluded.registered_at, expires_at = excluded.expires_at`,
          [id, own, now(), now() + seconds],
        );
      } catch (error) {
        log.warning('Other servers could not be told of what this one holds', { error });
      }
    },
    async release(id) {
      try {
        await database.run('DELETE FROM stream_owners WHERE stream_id = ? AND node_url = ?', [id, own]);
      } catch (error) {
        log.warning('Other servers could not be told of what this one holds no more', { error });
      }
    },
    async otherOwner(id) {
      try {
        const owner = await database.get(
          'SELECT node_url FROM stream_owners WHERE stream_id = ? AND expires_at > ?',
          [id, now()],
          (row) => text(row, 'node_url'),
        );
        return owner === own ? undefined : owner;
      } catch (error) {
        log.warning('The store could not be asked which server holds something', { error });
        return undefined;
      }
    },
  };
}
