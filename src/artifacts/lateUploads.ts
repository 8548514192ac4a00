// Names in the object store under which somebody outside may bring bytes for a while. When nobody waits for them any more, what
// lies there goes at once and what still comes goes soon after: it is looked for at growing distances, until the address has
// run out. Names are noted before the address is given away, so that a server that is killed leaves nothing for ever.
import { number, text } from '../database/index.ts';
import type { StoreParts } from './parts.ts';

export interface LateUploads {
  /** An address for the name is about to be given away; it is good for so long. */
  expect(name: string, seconds: number): Promise<void>;
  /** Nobody waits for what is brought under the name any more. */
  retire(name: string): Promise<void>;
  /** Removes what came late; gives how many names were looked at. */
  sweep(): Promise<number>;
}

/** Bytes that were on their way when the address ran out. */
const graceSeconds = 300;
const firstWaitSeconds = 15;
const lookedAtOnce = 500;

export function createLateUploads({ database, blobs, now }: StoreParts): LateUploads {
  return {
    async expect(name, seconds) {
      const until = now() + seconds;
      await database.run(
        `INSERT INTO late_uploads (blob_name, until, look_at, wait) VALUES (?, ?, ?, ?)
         ON CONFLICT (blob_name) DO UPDATE SET until = excluded.until, look_at = excluded.look_at`,
        [name, until, until + graceSeconds, firstWaitSeconds],
      );
    },
    async retire(name) {
      await database.run('UPDATE late_uploads SET look_at = ?, wait = ? WHERE blob_name = ?', [
        now() + firstWaitSeconds,
        firstWaitSeconds * 2,
        name,
      ]);
      await blobs.remove(name);
    },
    async sweep() {
      const at = now();
      const due = await database.all(
        'SELECT blob_name, until, wait FROM late_uploads WHERE look_at <= ? ORDER BY look_at LIMIT ?',
        [at, lookedAtOnce],
        (row) => ({ name: text(row, 'blob_name'), until: number(row, 'until'), wait: number(row, 'wait') }),
      );
      for (const { name, until, wait } of due) {
        await blobs.remove(name);
        const last = until + graceSeconds;
        if (at >= last) await database.run('DELETE FROM late_uploads WHERE blob_name = ?', [name]);
        else
          await database.run('UPDATE late_uploads SET look_at = ?, wait = ? WHERE blob_name = ?', [
            Math.min(at + wait, last),
            wait * 2,
            name,
          ]);
      }
      return due.length;
    },
  };
}
