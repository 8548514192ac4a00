// Which versions to collect. Nothing is chosen that something holds: a name, an alias, a change that waits for approval, a
// publication (withdrawn ones too), a pin, a running build, the current value of an id that somebody chose, and whatever
// those were made from or share their bytes with. Of the rest go what was idle too long, then, above the byte cap, the
// least recently used, down to four fifths of it.
import { number as numberOf, numberOrNull, type Queries, type Row, text, textOrNull } from '../../database/index.ts';
import { ownsBytes } from '../listing.ts';
import type { ArtifactAddress } from '../types.ts';

export interface Policy {
  /** Null: no limit. */
  readonly maxIdleDays: number | null;
  readonly maxBytes: number | null;
  readonly minIdleSeconds: number;
  /** Also the current values of chosen ids. */
  readonly collectLatest: boolean;
}

export interface Victim extends ArtifactAddress {
  readonly byteSize: number;
  readonly lastUsedAt: number;
}

export interface CollectionPlan {
  readonly victims: readonly Victim[];
  /** What the store holds before anything is collected. */
  readonly storeBytes: number;
}

interface Candidate extends Victim {
  readonly ownsBytes: boolean;
  readonly canonical: string | null;
}

/** Uses are recorded this coarsely, so nothing is called idle before as much time again has passed. */
const useGraceSeconds = 300;
const targetShare = 0.8;

const keyOf = ({ id, version }: ArtifactAddress): string => `${version}@${id}`;

export async function planCollection(
  queries: Pick<Queries, 'all' | 'get'>,
  policy: Policy,
  now: number,
): Promise<CollectionPlan> {
  const storeBytes =
    (await queries.get(`SELECT SUM(byte_size) AS bytes FROM artifact_versions WHERE ${ownsBytes}`, [], (row) =>
      numberOrNull(row, 'bytes'),
    )) ?? 0;
  const floor = policy.minIdleSeconds > 0 ? now - policy.minIdleSeconds - useGraceSeconds : now;
  const idleSince = policy.maxIdleDays === null ? null : now - policy.maxIdleDays * 86_400;
  if (idleSince === null && (policy.maxBytes === null || storeBytes <= policy.maxBytes))
    return { victims: [], storeBytes };
  const candidates = await queries.all(candidatesSql(policy.collectLatest), [floor], candidateOf);
  const choice = await createChoice(queries, candidates);
  if (idleSince !== null) choice.take((candidate) => candidate.lastUsedAt < idleSince);
  if (policy.maxBytes !== null && storeBytes - choice.bytes() > policy.maxBytes) {
    const target = policy.maxBytes * targetShare;
    choice.take(() => storeBytes - choice.bytes() > target);
  }
  return { victims: choice.victims(), storeBytes };
}

function candidatesSql(collectLatest: boolean): string {
  const current = `UNION SELECT id, MAX(version) FROM artifact_versions WHERE minted = 0 GROUP BY id
    UNION SELECT id, MAX(version) FROM artifact_versions WHERE minted = 0 AND state IN ('ready', 'superseded') GROUP BY id`;
  return `WITH RECURSIVE held(id, version) AS (
      SELECT artifact_id, version FROM (
        SELECT artifact_id, version FROM artifact_names
        UNION SELECT artifact_id, version FROM artifact_aliases
        UNION SELECT artifact_id, version FROM registry_pending WHERE artifact_id IS NOT NULL
        UNION SELECT artifact_id, version FROM artifact_publications
        UNION SELECT artifact_id, version FROM artifact_pins
        UNION SELECT id, version FROM artifact_versions WHERE state = 'building'
        ${collectLatest ? '' : current}
      ) AS roots
      UNION
      SELECT n.id, n.version FROM held h JOIN (
        SELECT artifact_id, version AS of_version, input_id AS id, input_number AS version
          FROM artifact_inputs WHERE input_id IS NOT NULL
        UNION ALL
        SELECT id, version, canonical_id, canonical_version FROM artifact_versions WHERE canonical_id IS NOT NULL
      ) AS n ON n.artifact_id = h.id AND n.of_version = h.version
    )
    SELECT v.id, v.version, COALESCE(v.byte_size, 0) AS byte_size, COALESCE(v.last_used_at, v.created_at) AS used_at,
      CASE WHEN v.${ownsBytes} THEN 1 ELSE 0 END AS owns, v.canonical_id, v.canonical_version
    FROM artifact_versions v
    WHERE v.state <> 'building' AND COALESCE(v.last_used_at, v.created_at) <= ?
      AND NOT EXISTS (SELECT 1 FROM held h WHERE h.id = v.id AND h.version = v.version)
    ORDER BY used_at, v.id, v.version`;
}

function candidateOf(row: Row): Candidate {
  const canonicalId = textOrNull(row, 'canonical_id');
  return {
    id: text(row, 'id'),
    version: numberOf(row, 'version'),
    byteSize: numberOf(row, 'byte_size'),
    lastUsedAt: numberOf(row, 'used_at'),
    ownsBytes: numberOf(row, 'owns') === 1,
    canonical: canonicalId === null ? null : keyOf({ id: canonicalId, version: numberOf(row, 'canonical_version') }),
  };
}

/**
 * Candidates in order of use, taken one by one as far as the order among them allows: an id keeps its highest version while
 * a lower one stays (so that no number is given twice), and shared bytes stay until the last who shares them is gone.
 */
async function createChoice(queries: Pick<Queries, 'all'>, candidates: readonly Candidate[]) {
  const versionsLeft = new Map<string, { count: number; highest: number }>();
  const ids = await queries.all(
    'SELECT id, COUNT(*) AS count, MAX(version) AS highest FROM artifact_versions GROUP BY id HAVING COUNT(*) > 1',
    [],
    (row) => ({ id: text(row, 'id'), count: numberOf(row, 'count'), highest: numberOf(row, 'highest') }),
  );
  for (const { id, ...rest } of ids) versionsLeft.set(id, rest);
  const sharersLeft = new Map<string, number>();
  const shared = await queries.all(
    `SELECT canonical_id AS id, canonical_version AS version, COUNT(*) AS count FROM artifact_versions
     WHERE canonical_id IS NOT NULL GROUP BY canonical_id, canonical_version`,
    [],
    (row) => ({ id: text(row, 'id'), version: numberOf(row, 'version'), count: numberOf(row, 'count') }),
  );
  for (const { count, ...address } of shared) sharersLeft.set(keyOf(address), count);
  const victims: Victim[] = [];
  const chosen = new Set<Candidate>();
  let freed = 0;

  function mayGo(candidate: Candidate): boolean {
    const siblings = versionsLeft.get(candidate.id);
    if (siblings && siblings.count > 1 && siblings.highest === candidate.version) return false;
    return (sharersLeft.get(keyOf(candidate)) ?? 0) === 0;
  }

  function choose(candidate: Candidate): void {
    chosen.add(candidate);
    victims.push({
      id: candidate.id,
      version: candidate.version,
      byteSize: candidate.ownsBytes ? candidate.byteSize : 0,
      lastUsedAt: candidate.lastUsedAt,
    });
    if (candidate.ownsBytes) freed += candidate.byteSize;
    const siblings = versionsLeft.get(candidate.id);
    if (siblings) siblings.count -= 1;
    const { canonical } = candidate;
    if (canonical !== null) sharersLeft.set(canonical, (sharersLeft.get(canonical) ?? 0) - 1);
  }

  return {
    bytes: () => freed,
    victims: () => victims,
    /** Whoever had to wait for another gets its turn after that one went. */
    take(wanted: (candidate: Candidate) => boolean): void {
      let open = candidates.filter((candidate) => !chosen.has(candidate));
      for (let before = -1; before !== chosen.size; ) {
        before = chosen.size;
        const waiting: Candidate[] = [];
        for (const candidate of open) {
          if (!wanted(candidate)) continue;
          if (mayGo(candidate)) choose(candidate);
          else waiting.push(candidate);
        }
        open = waiting;
      }
    },
  };
}
