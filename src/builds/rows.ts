// Builds as rows. Every step from one state to the next is one statement that says which state and lease it expects, so that
// of several servers on one store exactly one takes it.
import { type Database, number, numberOrNull, type Queries, type Row, text, textOrNull } from '../database/index.ts';
import { type Build, type BuildFailure, buildStates, type Lease, shortMessage } from './build.ts';

export interface BuildRows {
  insert(build: Build): Promise<void>;
  find(id: string): Promise<Build | undefined>;
  /** What a runner may take now, tenants in turn. `before`: new builds are left alone until then. */
  runnable(now: number, before: number, limit: number): Promise<Build[]>;
  /** Undefined when somebody else was first. */
  claim(id: string, lease: Lease, now: number): Promise<Build | undefined>;
  claimPending(id: string, lease: Lease, now: number): Promise<boolean>;
  renew(id: string, held: Lease, expiresAt: number): Promise<boolean>;
  /** Inside the commit that makes the result ready. False when the lease is no longer held. */
  complete(queries: Queries, id: string, held: Lease, outcome: { at: number; bytes: number }): Promise<boolean>;
  /** Fails the build and its version; `held` null fails it whoever holds it. False when it was over. */
  fail(build: Build, held: Lease | null, failure: BuildFailure, now: number): Promise<boolean>;
  /** What is over of these. */
  finished(ids: readonly string[]): Promise<string[]>;
  bytesSince(pool: string, since: number): Promise<number>;
  /** At the start: what a crash left behind. Gives how many can never finish. */
  recover(before: number, now: number): Promise<number>;
}

const isHeld = "build_id = ? AND state = 'building' AND lease_owner = ? AND lease_expires_at = ?";
const free = 'lease_owner = NULL, lease_expires_at = NULL';

export function createBuildRows(database: Database): BuildRows {
  const find = (id: string): Promise<Build | undefined> =>
    database.get('SELECT * FROM builds WHERE build_id = ?', [id], buildOf);

  const claimWhere = (id: string, { owner, expiresAt }: Lease, now: number, where: string, more: readonly number[]) =>
    database.run(
      `UPDATE builds SET state = 'building', lease_owner = ?, lease_expires_at = ?, attempts = attempts + 1,
         started_at = COALESCE(started_at, ?) WHERE build_id = ? AND (${where})`,
      [owner, expiresAt, now, id, ...more],
    );

  return {
    find,
    async insert(build) {
      await database.run(
        `INSERT INTO builds (build_id, artifact_id, version, executor_ref, state, tenant, pool, principal, name, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          build.id,
          build.target.id,
          build.target.version,
          build.executor,
          build.state,
          build.tenant,
          build.pool,
          build.principal,
          build.name,
          build.createdAt,
        ],
      );
    },

    runnable: (now, before, limit) =>
      database.all(
        `SELECT * FROM (
           SELECT b.*, ROW_NUMBER() OVER (PARTITION BY pool ORDER BY created_at, build_id) AS turn FROM builds b
           WHERE (state = 'pending' AND created_at <= ?) OR (state = 'building' AND lease_expires_at < ?)
         ) waiting ORDER BY turn, created_at, build_id LIMIT ?`,
        [before, now, limit],
        buildOf,
      ),

    async claim(id, lease, now) {
      const where = "state = 'pending' OR (state = 'building' AND lease_expires_at < ?)";
      return (await claimWhere(id, lease, now, where, [now])) === 1 ? find(id) : undefined;
    },

    claimPending: async (id, lease, now) => (await claimWhere(id, lease, now, "state = 'pending'", [])) === 1,

    renew: async (id, { owner, expiresAt }, until) =>
      (await database.run(`UPDATE builds SET lease_expires_at = ? WHERE ${isHeld}`, [until, id, owner, expiresAt])) ===
      1,

    complete: async (queries, id, { owner, expiresAt }, { at, bytes }) =>
      (await queries.run(
        `UPDATE builds SET state = 'ready', completed_at = ?, output_bytes = ?, ${free} WHERE ${isHeld}`,
        [at, bytes, id, owner, expiresAt],
      )) === 1,

    fail: ({ id, target }, held, { code, message }, now) =>
      database.transaction(async (queries) => {
        const where = held ? isHeld : "build_id = ? AND state IN ('pending', 'building')";
        const changed = await queries.run(
          `UPDATE builds SET state = 'failed', completed_at = ?, error_code = ?, error_message = ?, ${free} WHERE ${where}`,
          [now, code, shortMessage(message), id, ...(held ? [held.owner, held.expiresAt] : [])],
        );
        if (changed === 0) return false;
        await queries.run(
          "UPDATE artifact_versions SET state = 'failed' WHERE id = ? AND version = ? AND state = 'building'",
          [target.id, target.version],
        );
        return true;
      }),

    finished: async (ids) =>
      ids.length === 0
        ? []
        : database.all(
            `SELECT build_id FROM builds WHERE state IN ('ready', 'failed') AND build_id IN (${ids.map(() => '?').join(', ')})`,
            ids,
            (row) => text(row, 'build_id'),
          ),

    bytesSince: async (pool, since) =>
      (await database.get(
        'SELECT COALESCE(SUM(output_bytes), 0) AS bytes FROM builds WHERE pool = ? AND completed_at >= ?',
        [pool, since],
        (row) => number(row, 'bytes'),
      )) ?? 0,

    recover: (before, now) =>
      database.transaction(async (queries) => {
        // A database in one file has one server: a runner that held a lease there is gone.
        if (database.dialect === 'sqlite')
          await queries.run(
            "UPDATE builds SET lease_expires_at = 0 WHERE state = 'building' AND lease_owner LIKE 'runner-%'",
          );
        const failed = await queries.run(
          `UPDATE builds SET state = 'failed', completed_at = ?, error_code = 'NEVER_FINISHED', error_message = ?, ${free}
           WHERE state IN ('pending', 'building') AND created_at < ? AND (lease_expires_at IS NULL OR lease_expires_at < ?)`,
          [now, 'The build was never finished: the server that worked on it ended. Ask for it again.', before, now],
        );
        await queries.run(
          `UPDATE artifact_versions SET state = 'failed' WHERE state = 'building' AND EXISTS (
             SELECT 1 FROM builds b WHERE b.artifact_id = artifact_versions.id AND b.version = artifact_versions.version
               AND b.state = 'failed')`,
        );
        return failed;
      }),
  };
}

function buildOf(row: Row): Build {
  const state = buildStates.find((known) => known === row.state);
  if (state === undefined) throw new TypeError(`A build has the unknown state ${String(row.state)}.`);
  const code = textOrNull(row, 'error_code');
  const owner = textOrNull(row, 'lease_owner');
  return {
    id: text(row, 'build_id'),
    target: { id: text(row, 'artifact_id'), version: number(row, 'version') },
    executor: text(row, 'executor_ref'),
    state,
    tenant: text(row, 'tenant'),
    pool: text(row, 'pool'),
    principal: textOrNull(row, 'principal'),
    name: textOrNull(row, 'name'),
    createdAt: number(row, 'created_at'),
    startedAt: numberOrNull(row, 'started_at'),
    completedAt: numberOrNull(row, 'completed_at'),
    failure: code === null ? null : { code, message: text(row, 'error_message') },
    lease: owner === null ? null : { owner, expiresAt: number(row, 'lease_expires_at') },
    attempts: number(row, 'attempts'),
  };
}
