// `svc artifact list`, `show`, `lineage`, `audit` and `pending`: what the store holds, for people and for programs.
import { z } from 'zod';
import {
  type Artifacts,
  type ArtifactVersion,
  artifactStates,
  listVersions,
  readAudit,
  recordedInputs,
  transformOf,
} from '../../artifacts/index.ts';
import { text } from '../../database/index.ts';
import { check } from '../options.ts';
import { bytesText, momentText, printJson, table } from '../print.ts';
import { findReference, storeOptions, withStore } from './store.ts';

const format = z.enum(['human', 'json']);
const listOptions = storeOptions.extend({
  state: z.enum(artifactStates).optional(),
  limit: z.coerce.number('must be a number').int('must be a whole number').min(1).max(100_000),
  format,
});
const showOptions = storeOptions.extend({ format });
const lineageOptions = showOptions.extend({
  maxDepth: z.coerce.number('must be a number').int('must be a whole number').min(1).max(100),
});
const auditOptions = showOptions.extend({
  limit: z.coerce.number('must be a number').int('must be a whole number').min(1).max(1000),
});

async function payload({ parts: { database } }: Artifacts, version: ArtifactVersion) {
  const where = 'WHERE artifact_id = ? AND version = ?';
  const at = [version.id, version.version];
  const { executor } = transformOf(version.transformSpec);
  return {
    artifact_id: version.id,
    version: version.version,
    tenant: version.tenant,
    principal: version.principal,
    state: version.state,
    row_count: version.rowCount,
    byte_size: version.byteSize,
    created_at: version.createdAt,
    names: await database.all(`SELECT name FROM artifact_names ${where} ORDER BY name`, at, (row) => text(row, 'name')),
    aliases: await database.all(
      `SELECT name, alias FROM artifact_aliases ${where} ORDER BY name, alias`,
      at,
      (row) => `${text(row, 'name')}@${text(row, 'alias')}`,
    ),
    tags: Object.fromEntries(
      await database.all(`SELECT key, value FROM artifact_tags ${where} ORDER BY key`, at, (row) => [
        text(row, 'key'),
        text(row, 'value'),
      ]),
    ),
    transform: executor,
    inputs: Object.fromEntries(recordedInputs(version.inputVersions).map(({ uri, version: at }) => [uri, at])),
  };
}

export async function listArtifacts(given: object): Promise<void> {
  const options = check(listOptions, given);
  await withStore(options, async ({ artifacts }) => {
    const query = { offset: 0, namePrefix: undefined, since: undefined, sort: 'created_at', order: 'desc' } as const;
    const found = await listVersions(artifacts.parts, { ...query, limit: options.limit, state: options.state });
    const shown = await Promise.all(found.map((version) => payload(artifacts, version)));
    if (options.format === 'json') return printJson(shown);
    process.stdout.write(
      table(
        ['ID', 'VER', 'STATE', 'ROWS', 'SIZE', 'CREATED', 'NAMES'],
        shown.map((one) => [
          one.artifact_id,
          String(one.version),
          one.state,
          String(one.row_count ?? '-'),
          bytesText(one.byte_size),
          momentText(one.created_at),
          one.names.join(', ') || '-',
        ]),
        'No artifacts.',
      ),
    );
  });
}

export async function showArtifact(reference: string, given: object): Promise<void> {
  const options = check(showOptions, given);
  await withStore(options, async ({ artifacts }) => {
    const shown = await payload(artifacts, await findReference(artifacts, reference, options.tenant));
    if (options.format === 'json') return printJson(shown);
    const lines = Object.entries(shown).map(([key, value]) => [
      key,
      typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? '-'),
    ]);
    process.stdout.write(lines.map(([key = '', value]) => `${key.padEnd(12)} ${value}\n`).join(''));
  });
}

interface LineageTree {
  readonly artifact_id: string;
  readonly version: number;
  readonly executor: string | null;
  readonly names: readonly string[];
  readonly inputs: readonly (LineageTree | { readonly uri: string; readonly version: string })[];
}

async function treeOf(artifacts: Artifacts, version: ArtifactVersion, depth: number): Promise<LineageTree> {
  const { names, transform } = await payload(artifacts, version);
  const inputs: LineageTree['inputs'][number][] = [];
  for (const { uri, version: recorded, address } of recordedInputs(version.inputVersions)) {
    const parent = address && depth > 1 ? await artifacts.versions.get(address) : undefined;
    inputs.push(parent ? await treeOf(artifacts, parent, depth - 1) : { uri, version: recorded });
  }
  return { artifact_id: version.id, version: version.version, executor: transform, names, inputs };
}

export async function showLineage(reference: string, given: object): Promise<void> {
  const options = check(lineageOptions, given);
  await withStore(options, async ({ artifacts }) => {
    const tree = await treeOf(artifacts, await findReference(artifacts, reference, options.tenant), options.maxDepth);
    if (options.format === 'json') return printJson(tree);
    process.stdout.write(`${drawn(tree, '')}`);
  });
}

function drawn(node: LineageTree['inputs'][number], indent: string): string {
  if ('uri' in node) return `${node.uri} (${node.version})\n`;
  const label = `${node.artifact_id}@v=${node.version}${node.executor === null ? '' : `  ${node.executor}`}`;
  const names = node.names.length === 0 ? '' : `  [${node.names.join(', ')}]`;
  const below = node.inputs.map((input, index) => {
    const last = index === node.inputs.length - 1;
    return `${indent}${last ? '└─ ' : '├─ '}${drawn(input, `${indent}${last ? '   ' : '│  '}`)}`;
  });
  return `${label}${names}\n${below.join('')}`;
}

export async function showAudit(name: string | undefined, given: object): Promise<void> {
  const options = check(auditOptions, given);
  await withStore(options, async ({ artifacts }) => {
    const tenant = options.tenant ?? '';
    const entries = await readAudit(artifacts.parts.database, { tenant, name, limit: options.limit });
    if (options.format === 'json') return printJson(entries);
    const rows = entries.map((entry) => [
      String(entry.seq),
      momentText(entry.at),
      entry.actor ?? '-',
      entry.action,
      [entry.name, entry.alias].filter((part) => part !== null).join('@') || '-',
      entry.artifact_id === null ? '-' : `${entry.artifact_id}@v=${entry.to_version ?? entry.from_version ?? '?'}`,
    ]);
    process.stdout.write(table(['SEQ', 'AT', 'ACTOR', 'ACTION', 'NAME', 'ARTIFACT'], rows, 'Nothing has changed yet.'));
  });
}

export async function showPending(given: object): Promise<void> {
  const options = check(showOptions, given);
  await withStore(options, async ({ artifacts }) => {
    const pending = (await artifacts.aliases.pending(options.tenant ?? '')).map((change) => ({
      name: change.name,
      alias: change.alias,
      action: change.action,
      artifact_id: change.target?.id ?? null,
      version: change.target?.version ?? null,
      requested_by: change.requestedBy,
      requested_at: change.requestedAt,
      tenant: change.tenant,
    }));
    if (options.format === 'json') return printJson(pending);
    const rows = pending.map((one) => [
      `${one.name}@${one.alias}`,
      one.action,
      one.artifact_id === null ? '-' : `${one.artifact_id}@v=${one.version}`,
      one.requested_by ?? '-',
      momentText(one.requested_at),
    ]);
    process.stdout.write(table(['ALIAS', 'ACTION', 'ARTIFACT', 'BY', 'SINCE'], rows, 'Nothing waits for approval.'));
  });
}
