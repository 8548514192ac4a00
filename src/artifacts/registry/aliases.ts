// Aliases: a word beside a name that points at one version of it. Protected ones move only after somebody else approved;
// until then the wish waits in a queue, one for each alias.
import { number as numberOf, numberOrNull, type Queries, type Row, text, textOrNull } from '../../database/index.ts';
import { refusals } from '../../errors/index.ts';
import type { StoreParts } from '../parts.ts';
import { addressOf, findVersion } from '../rows.ts';
import type { ArtifactAddress } from '../types.ts';
import { recordAudit } from './audit.ts';
import { type Actor, refuseUnseen } from './names.ts';

export interface Alias extends ArtifactAddress {
  readonly name: string;
  readonly alias: string;
  readonly updatedAt: number;
}

export interface PendingChange {
  readonly tenant: string;
  readonly name: string;
  readonly alias: string;
  readonly action: 'set' | 'delete';
  readonly target: ArtifactAddress | null;
  readonly requestedBy: string | null;
  readonly requestedAt: number;
}

export interface Approval {
  /** The approver may be whoever asked. */
  readonly alone: boolean;
  /** What the approver was shown, nulls for a deletion: whoever asked may have asked for something else since. */
  readonly seen?: { readonly id?: string | null | undefined; readonly version?: number | null | undefined };
}

export type AliasOutcome = 'applied' | 'unchanged' | 'pending';

export interface Aliases {
  list(tenant: string, name: string): Promise<Alias[]>;
  all(tenant: string): Promise<Alias[]>;
  find(tenant: string, name: string, alias: string): Promise<Alias | undefined>;
  set(actor: Actor, name: string, alias: string, target: ArtifactAddress): Promise<AliasOutcome>;
  /** Undefined when there is no such alias. */
  remove(actor: Actor, name: string, alias: string): Promise<'applied' | 'pending' | undefined>;
  /** Oldest first. */
  pending(tenant: string): Promise<PendingChange[]>;
  /** Undefined when nothing waits. */
  approve(actor: Actor, name: string, alias: string, how: Approval): Promise<PendingChange | undefined>;
  reject(actor: Actor, name: string, alias: string): Promise<PendingChange | undefined>;
}

const aliasOf = (row: Row): Alias => ({
  ...addressOf(row),
  name: text(row, 'name'),
  alias: text(row, 'alias'),
  updatedAt: numberOf(row, 'updated_at'),
});

function pendingOf(row: Row): PendingChange {
  const [id, version] = [textOrNull(row, 'artifact_id'), numberOrNull(row, 'version')];
  return {
    tenant: text(row, 'tenant'),
    name: text(row, 'name'),
    alias: text(row, 'alias'),
    action: text(row, 'action') === 'delete' ? 'delete' : 'set',
    target: id === null || version === null ? null : { id, version },
    requestedBy: textOrNull(row, 'requested_by'),
    requestedAt: numberOf(row, 'requested_at'),
  };
}

const one = 'tenant = ? AND name = ? AND alias = ?';

const findAlias = (queries: Queries, tenant: string, name: string, alias: string): Promise<Alias | undefined> =>
  queries.get(`SELECT * FROM artifact_aliases WHERE ${one}`, [tenant, name, alias], aliasOf);

async function takePending(queries: Queries, tenant: string, name: string, alias: string) {
  const waiting = await queries.get(`SELECT * FROM registry_pending WHERE ${one}`, [tenant, name, alias], pendingOf);
  if (waiting) await queries.run(`DELETE FROM registry_pending WHERE ${one}`, [tenant, name, alias]);
  return waiting;
}

async function checkTarget(queries: Queries, { tenant }: Actor, target: ArtifactAddress): Promise<void> {
  const version = await findVersion(queries, target);
  if (!version || (version.tenant !== tenant && version.tenant !== '')) throw refusals.artifactNotFound();
  if (version.state !== 'ready' && version.state !== 'superseded')
    throw refusals.artifactNotNameable(target.id, target.version, version.state);
}

export function createAliases(parts: StoreParts, protectedAliases: readonly string[]): Aliases {
  const { database, now } = parts;
  const isProtected = (alias: string): boolean => protectedAliases.includes(alias);
  const audit = (
    queries: Queries,
    { principal, tenant }: Actor,
    action: string,
    where: { name: string; alias: string },
    to: ArtifactAddress | null,
    from: ArtifactAddress | undefined,
  ): Promise<void> =>
    recordAudit(queries, database.dialect, now(), {
      actor: principal,
      action,
      tenant,
      ...where,
      ...(to ? { artifactId: to.id, toVersion: to.version } : from ? { artifactId: from.id } : {}),
      ...(from && { fromArtifactId: from.id, fromVersion: from.version }),
    });

  async function apply(
    queries: Queries,
    actor: Actor,
    name: string,
    alias: string,
    target: ArtifactAddress | null,
  ): Promise<void> {
    const before = await findAlias(queries, actor.tenant, name, alias);
    if (target === null) {
      await queries.run(`DELETE FROM artifact_aliases WHERE ${one}`, [actor.tenant, name, alias]);
    } else {
      await queries.run(
        `INSERT INTO artifact_aliases (tenant, name, alias, artifact_id, version, updated_at) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (tenant, name, alias) DO UPDATE SET
           artifact_id = excluded.artifact_id, version = excluded.version, updated_at = excluded.updated_at`,
        [actor.tenant, name, alias, target.id, target.version, now()],
      );
    }
    await audit(queries, actor, target === null ? 'alias_delete' : 'alias_set', { name, alias }, target, before);
  }

  async function queue(
    queries: Queries,
    actor: Actor,
    name: string,
    alias: string,
    target: ArtifactAddress | null,
  ): Promise<void> {
    const action = target === null ? 'delete' : 'set';
    await queries.run(
      `INSERT INTO registry_pending (tenant, name, alias, action, artifact_id, version, requested_by, requested_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (tenant, name, alias) DO UPDATE SET
         action = excluded.action, artifact_id = excluded.artifact_id, version = excluded.version,
         requested_by = excluded.requested_by, requested_at = excluded.requested_at`,
      [actor.tenant, name, alias, action, target?.id ?? null, target?.version ?? null, actor.principal, now()],
    );
    const before = await findAlias(queries, actor.tenant, name, alias);
    await audit(queries, actor, `alias_request_${action}`, { name, alias }, target, before);
  }

  /** Whoever asks for what is there already wants what waits no more. */
  async function withdraw(queries: Queries, actor: Actor, name: string, alias: string): Promise<void> {
    const waiting = await takePending(queries, actor.tenant, name, alias);
    if (waiting) await audit(queries, actor, 'alias_withdrawn', { name, alias }, waiting.target, undefined);
  }

  return {
    list: (tenant, name) =>
      database.all(
        'SELECT * FROM artifact_aliases WHERE tenant = ? AND name = ? ORDER BY alias',
        [tenant, name],
        aliasOf,
      ),
    all: (tenant) =>
      database.all('SELECT * FROM artifact_aliases WHERE tenant = ? ORDER BY name, alias', [tenant], aliasOf),
    find: (tenant, name, alias) => findAlias(database, tenant, name, alias),

    set: (actor, name, alias, target) =>
      database.transaction(async (queries) => {
        refuseUnseen('name', name);
        refuseUnseen('alias', alias);
        await checkTarget(queries, actor, target);
        const before = await findAlias(queries, actor.tenant, name, alias);
        if (before?.id === target.id && before.version === target.version) {
          await withdraw(queries, actor, name, alias);
          return 'unchanged';
        }
        if (isProtected(alias)) {
          await queue(queries, actor, name, alias, target);
          return 'pending';
        }
        await apply(queries, actor, name, alias, target);
        return 'applied';
      }),

    remove: (actor, name, alias) =>
      database.transaction(async (queries) => {
        if (!(await findAlias(queries, actor.tenant, name, alias))) {
          await withdraw(queries, actor, name, alias);
          return undefined;
        }
        if (isProtected(alias)) {
          await queue(queries, actor, name, alias, null);
          return 'pending';
        }
        await apply(queries, actor, name, alias, null);
        return 'applied';
      }),

    pending: (tenant) =>
      database.all(
        'SELECT * FROM registry_pending WHERE tenant = ? ORDER BY requested_at, name, alias',
        [tenant],
        pendingOf,
      ),

    approve: (actor, name, alias, { alone, seen = {} }) =>
      database.transaction(async (queries) => {
        const waiting = await takePending(queries, actor.tenant, name, alias);
        if (!waiting) return undefined;
        const { id, version } = waiting.target ?? { id: null, version: null };
        if ((seen.id !== undefined && seen.id !== id) || (seen.version !== undefined && seen.version !== version))
          throw refusals.pendingChanged(name, alias);
        if (!alone && waiting.requestedBy !== null && waiting.requestedBy === actor.principal)
          throw refusals.separationOfDuty(waiting.requestedBy);
        if (waiting.target) await checkTarget(queries, actor, waiting.target);
        await apply(queries, actor, name, alias, waiting.target);
        await audit(queries, actor, 'alias_approved', { name, alias }, waiting.target, undefined);
        return waiting;
      }),

    reject: (actor, name, alias) =>
      database.transaction(async (queries) => {
        const waiting = await takePending(queries, actor.tenant, name, alias);
        if (waiting) await audit(queries, actor, 'alias_rejected', { name, alias }, waiting.target, undefined);
        return waiting;
      }),
  };
}
