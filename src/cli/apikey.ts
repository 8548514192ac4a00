// `svc apikey`: works on the key database itself, so it needs no running server and a server sees the change at once.
import { z } from 'zod';
import { openMetadata } from '../database/index.ts';
import { type ApiKeyRecord, type ApiKeys, createApiKeys, tenantProblem } from '../identity/index.ts';
import { loadSettings } from '../settings/index.ts';
import { UsageError } from './failure.ts';
import { check } from './options.ts';
import { momentText, table } from './print.ts';

const storeOptions = z.object({ artifactDir: z.string().optional(), dsn: z.string().optional() });

const createOptions = storeOptions.extend({
  tenant: z.string().optional(),
  scope: z.array(z.string().regex(/^\S+$/, 'a scope has no spaces')),
  description: z.string().optional(),
  expiresInDays: z.coerce
    .number('must be a number of days')
    .positive('must be more than 0')
    .max(36_500, 'must be at most 36500; leave it out for a key that does not end')
    .optional(),
});

const listOptions = storeOptions.extend({ principal: z.string().optional(), format: z.enum(['human', 'json']) });

export async function createKey(principal: string, given: object): Promise<void> {
  const options = check(createOptions, given);
  if (principal.trim() === '') throw new UsageError('the principal must not be empty');
  const problem = options.tenant === undefined ? undefined : tenantProblem(options.tenant);
  if (problem !== undefined) throw new UsageError(problem);
  await withKeys(options, async (keys) => {
    const { key, record } = await keys.create({
      principal,
      tenant: options.tenant ?? null,
      scopes: options.scope,
      description: options.description ?? null,
      expiresInDays: options.expiresInDays,
    });
    process.stderr.write(
      `key id     ${record.key_id}\nprincipal  ${record.principal_id}\ntenant     ${record.tenant ?? '-'}\nscopes     ${record.scopes.join(' ') || '-'}\nexpires    ${momentText(record.expires_at)}\nThe key is shown this once:\n`,
    );
    process.stdout.write(`${key}\n`);
  });
}

export async function listKeys(given: object): Promise<void> {
  const options = check(listOptions, given);
  await withKeys(options, async (keys) => {
    const records = await keys.list({ principal: options.principal });
    process.stdout.write(options.format === 'json' ? `${JSON.stringify(records, null, 2)}\n` : keyTable(records));
  });
}

export async function revokeKey(keyId: string, given: object): Promise<void> {
  await withKeys(check(storeOptions, given), async (keys) => {
    const revoked = await keys.revoke(keyId);
    process.stdout.write(revoked ? `Revoked ${keyId}.\n` : `No live key ${keyId}.\n`);
    if (!revoked) process.exitCode = 1;
  });
}

async function withKeys(options: z.infer<typeof storeOptions>, work: (keys: ApiKeys) => Promise<void>): Promise<void> {
  const { settings } = loadSettings({ env: process.env, cwd: process.cwd() });
  const artifactDir = options.artifactDir ?? settings.artifactDir;
  const dsn = options.dsn ?? settings.artifactMetadataDsn ?? undefined;
  if (artifactDir === null && dsn === undefined) {
    throw new UsageError('where are the keys kept? Give --artifact-dir or --dsn, or set SVC_ARTIFACT_DIR.');
  }
  const database = await openMetadata({ artifactDir: artifactDir ?? '', dsn });
  try {
    await work(createApiKeys(database));
  } finally {
    await database.close();
  }
}

function keyTable(records: readonly ApiKeyRecord[]): string {
  const header = ['KEY ID', 'PRINCIPAL', 'STATUS', 'LAST USED', 'DESCRIPTION'];
  const rows = records.map((record) => [
    record.key_id,
    record.principal_id,
    record.active ? 'active' : record.revoked_at === null ? 'expired' : 'revoked',
    momentText(record.last_used_at),
    record.description ?? '-',
  ]);
  return table(header, rows, 'No API keys.');
}
