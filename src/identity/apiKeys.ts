// API keys `svc_<key_id>_<secret>`, kept in the artifact store's database by the hash of their secret. Every request asks
// the store, so a revoked key is dead at once.
import { type Database, number as numberOf, numberOrNull, type Row, text, textOrNull } from '../database/index.ts';
import { newSecret } from '../newSecret.ts';
import { type Caller, identified } from './caller.ts';
import { newKeyId, sameHex, sha256Hex } from './secrets.ts';

export interface ApiKeyRecord {
  readonly key_id: string;
  readonly principal_id: string;
  readonly tenant: string | null;
  readonly scopes: readonly string[];
  readonly description: string | null;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
  readonly active: boolean;
}

export interface NewApiKey {
  readonly principal: string;
  readonly tenant?: string | null;
  readonly scopes?: readonly string[];
  readonly description?: string | null;
  readonly expiresInDays?: number | undefined;
}

export interface ApiKeys {
  /** The only moment at which the whole key exists. */
  create(request: NewApiKey): Promise<{ key: string; record: ApiKeyRecord }>;
  list(filter?: { principal?: string | undefined }): Promise<ApiKeyRecord[]>;
  /** False when no live key has that id. */
  revoke(keyId: string): Promise<boolean>;
  verify(key: string): Promise<Caller | undefined>;
}

/** Last use is recorded at most this often per key, so that reading costs no write. */
const lastUseGranularitySeconds = 60;

export function createApiKeys(database: Database, now: () => number = database.now): ApiKeys {
  const record = (row: Row): ApiKeyRecord => decode(row, now());
  return {
    async create({ principal, tenant = null, scopes = [], description = null, expiresInDays }) {
      const [keyId, secret, createdAt] = [newKeyId(), newSecret(), now()];
      const expiresAt = expiresInDays === undefined ? null : createdAt + expiresInDays * 86_400;
      await database.run(
        `INSERT INTO api_keys (key_id, key_hash, principal_id, tenant, scopes, description, created_at, expires_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
        [
          keyId,
          sha256Hex(secret),
          principal,
          tenant,
          JSON.stringify([...new Set(scopes)].sort()),
          description,
          createdAt,
          expiresAt,
        ],
      );
      const stored = await database.get('SELECT * FROM api_keys WHERE key_id = ?', [keyId], record);
      if (!stored) throw new Error('The API key that was just written could not be read back.');
      return { key: `svc_${keyId}_${secret}`, record: stored };
    },

    list({ principal } = {}) {
      const order = 'ORDER BY created_at DESC, key_id';
      return principal === undefined
        ? database.all(`SELECT * FROM api_keys ${order}`, [], record)
        : database.all(`SELECT * FROM api_keys WHERE principal_id = ? ${order}`, [principal], record);
    },

    async revoke(keyId) {
      return (
        (await database.run('UPDATE api_keys SET revoked_at = ? WHERE key_id = ? AND revoked_at IS NULL', [
          now(),
          keyId,
        ])) > 0
      );
    },

    async verify(key) {
      const parsed = parseKey(key);
      if (!parsed) return undefined;
      const found = await database.get('SELECT * FROM api_keys WHERE key_id = ?', [parsed.keyId], (row) => ({
        hash: text(row, 'key_hash'),
        record: record(row),
      }));
      if (!found || !sameHex(found.hash, sha256Hex(parsed.secret)) || !found.record.active) return undefined;
      const { principal_id, tenant, scopes, last_used_at } = found.record;
      if (now() - (last_used_at ?? 0) > lastUseGranularitySeconds) {
        // A store that can be read but not written (a full disk) still identifies.
        await database
          .run('UPDATE api_keys SET last_used_at = ? WHERE key_id = ?', [now(), parsed.keyId])
          .catch(() => {});
      }
      return identified(principal_id, tenant, scopes);
    },
  };
}

/** Secrets may hold `_`, so only the first two separate. */
function parseKey(key: string): { keyId: string; secret: string } | undefined {
  const match = /^svc_([^_]+)_(.+)$/s.exec(key);
  return match?.[1] !== undefined && match[2] !== undefined ? { keyId: match[1], secret: match[2] } : undefined;
}

function decode(row: Row, now: number): ApiKeyRecord {
  const expiresAt = numberOrNull(row, 'expires_at');
  const revokedAt = numberOrNull(row, 'revoked_at');
  const scopes: unknown = JSON.parse(text(row, 'scopes'));
  return {
    key_id: text(row, 'key_id'),
    principal_id: text(row, 'principal_id'),
    tenant: textOrNull(row, 'tenant'),
    scopes: Array.isArray(scopes) ? scopes.map(String) : [],
    description: textOrNull(row, 'description'),
    created_at: numberOf(row, 'created_at'),
    expires_at: expiresAt,
    revoked_at: revokedAt,
    last_used_at: numberOrNull(row, 'last_used_at'),
    active: revokedAt === null && (expiresAt === null || expiresAt > now),
  };
}
