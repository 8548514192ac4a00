// Which node of a deployment holds a stream. Nodes that share a store write their claims there, the newest counts; one that is
// asked for a stream it does not hold sends the client on. A store that does not answer is as good as no claim.
import { type Database, text } from '../../database/index.ts';
import type { Log } from '../../observability/index.ts';

export interface StreamOwners {
  /** This node holds the stream, from now on for as long as streams are remembered. */
  claim(streamId: string): Promise<void>;
  /** The address of another node that holds it. */
  otherOwner(streamId: string): Promise<string | undefined>;
}

export interface StreamOwnersParts {
  readonly database: Database | undefined;
  /** This node as the others reach it; null where there are no others. */
  readonly nodeUrl: string | null;
  readonly ttlSeconds: number;
  readonly log: Log;
}

const alone: StreamOwners = { claim: async () => {}, otherOwner: async () => undefined };

export function createStreamOwners({ database, nodeUrl, ttlSeconds, log }: StreamOwnersParts): StreamOwners {
  if (!database || nodeUrl === null) return alone;
  const now = (): number => Date.now() / 1000;
  return {
    async claim(streamId) {
      try {
        await database.run('DELETE FROM stream_owners WHERE expires_at < ?', [now()]);
        await database.run(
          `INSERT INTO stream_owners (stream_id, node_url, registered_at, expires_at) VALUES (?, ?, ?, ?)
           ON CONFLICT (stream_id) DO UPDATE SET node_url = excluded.node_url,
             registered_at = excluded.registered_at, expires_at = excluded.expires_at`,
          [streamId, nodeUrl, now(), now() + ttlSeconds],
        );
      } catch (error) {
        log.warning('A stream could not be claimed for this node', { error });
      }
    },
    async otherOwner(streamId) {
      try {
        const owner = await database.get(
          'SELECT node_url FROM stream_owners WHERE stream_id = ? AND expires_at > ?',
          [streamId, now()],
          (row) => text(row, 'node_url'),
        );
        return owner === nodeUrl ? undefined : owner;
      } catch (error) {
        log.warning('The owner of a stream could not be looked up', { error });
        return undefined;
      }
    },
  };
}
