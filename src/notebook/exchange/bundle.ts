// A notebook as one zip: what is committed of it, and what its cells hold by name and digest. A snapshot adds the outputs, and
// as many of the stored bytes as are asked for, so that whoever opens it elsewhere finds them again.
import fs from 'node:fs/promises';
import path from 'node:path';
import { type ArtifactVersion, artifactUri, parseArtifactUri, shortAddress } from '../../artifacts/index.ts';
import { namedUrl } from '../../fetch/index.ts';
import { isPlainFile, readOwnFile } from '../../files/index.ts';
import { jupyterFileName, notebookFileName, readNotebook } from '../document/index.ts';
import type { LiveNotebook } from '../live/index.ts';
import { fetchKey } from '../outside/index.ts';
import type { Display, KeptResult } from '../run/index.ts';
import type { StoredValue } from '../state/index.ts';
import { errorCode } from '../storage/index.ts';
import { fetchedBy, fetchMembers } from './fetches.ts';
import type { Member } from './member.ts';
import { withoutSecrets } from './withoutSecrets.ts';

export type Include = 'all' | 'selected' | 'none';

export const formatVersion = 2;

const committed = [
  '.gitignore',
  'notebook.toml',
  'pyproject.toml',
  'uv.lock',
  'renv.lock',
  'README.md',
  jupyterFileName,
];

/** Refuses a notebook file that another program left as none: what is a secret in it could not be told. */
export async function committedMembers(directory: string): Promise<Member[]> {
  const text = withoutSecrets((await readNotebook(directory)).text);
  const names = [
    ...(await plainFiles(directory)).filter((name) => committed.includes(name)),
    ...(await plainFiles(path.join(directory, 'cells')))
      .filter((name) => !name.startsWith('.'))
      .map((name) => `cells/${name}`),
  ];
  const members = names.sort().map((name): Member => ({ name, content: { file: path.join(directory, name) } }));
  return members.map((member) => (member.name === notebookFileName ? { ...member, content: { text } } : member));
}

/** What a notebook says of itself before its cells; null when it says nothing. */
export async function readmeOf(directory: string): Promise<string | null> {
  const isThere = (await plainFiles(directory)).includes('README.md');
  return isThere ? String(await readOwnFile(path.join(directory, 'README.md'))) : null;
}

/** None where there is no folder. Not what links lead to: that may be somebody else's. */
async function plainFiles(folder: string): Promise<string[]> {
  const entries = await fs.readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (errorCode(error) === 'ENOENT') return [];
    throw error;
  });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

export async function bundleMembers(live: LiveNotebook, lockfileHash: string): Promise<Member[]> {
  const cells: Record<string, object> = {};
  for (const { id } of live.notebook().cells) cells[id] = await provenanceOf(live, id);
  const provenance = { notebook_id: live.notebook().id, lockfile_hash: lockfileHash, dag: live.dag(), cells };
  return [
    ...(await committedMembers(live.directory)),
    { name: 'provenance.json', content: { text: `${JSON.stringify(provenance, null, 2)}\n` } },
  ];
}

async function provenanceOf(live: LiveNotebook, cellId: string): Promise<object> {
  const { status, defines, references, artifact_uri, effects } = live.cellRecord(cellId);
  const outputs = [];
  for (const { name, version } of await storedBy(live, live.shown(cellId))) {
    outputs.push({
      name,
      artifact_id: version.id,
      version: version.version,
      content_sha256: version.contentSha256,
    });
  }
  const source_hash = live.session().facts.get(cellId)?.sourceDigest ?? '';
  return { source_hash, defines, references, status, artifact_uri, outputs, ...(effects ? { effects } : {}) };
}

interface Stored {
  readonly name: string;
  readonly contentType: string;
  readonly version: ArtifactVersion;
}

/** Everything that a result keeps in the store, by name. */
async function storedBy(live: LiveNotebook, result: KeptResult | undefined): Promise<Stored[]> {
  const found = new Map<string, Stored>();
  for (const { uri, contentType } of result ? valuesOf(result) : []) {
    const address = parseArtifactUri(uri);
    const version = address && (await live.artifact(address));
    if (!version) continue;
    const name = version.id.replace(/^nb_.*?_var_/s, '');
    found.set(uri, { name, contentType, version });
  }
  return [...found.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

export function* valuesOf({ variables, displays, iterations = [] }: KeptResult): Generator<StoredValue> {
  for (const value of [...Object.values(variables), ...iterations]) yield* within(value);
  for (const { artifact_uri: uri, content_type: contentType } of displays) yield { uri, contentType, sha256: '' };
}

function* within(value: StoredValue): Generator<StoredValue> {
  if (value.sweep) for (const one of Object.values(value.sweep.variants)) yield* within(one);
  else yield value;
  for (const lent of Object.values(value.lent ?? {})) yield* within(lent);
}

/** `selected`: the cells whose bytes go along when not all do. */
export async function snapshotMembers(
  live: LiveNotebook,
  lockfileHash: string,
  include: Include,
  selected: readonly string[],
): Promise<Member[]> {
  const notebook = live.notebook();
  const kept = await live.kept();
  const cells: Record<string, object> = {};
  const artifacts: Record<string, object[]> = {};
  const records: Record<string, object> = {};
  const results: Record<string, readonly KeptResult[]> = {};
  const outputs: Member[] = [];
  const carried = new Map<string, ArtifactVersion>();
  for (const { id } of notebook.cells) {
    const shown = live.shown(id);
    const files = (shown?.displays ?? []).map((display, index) => outputFile(live, id, index, display));
    outputs.push(...files.map(({ member }) => member));
    const { console_stdout: stdout, console_stderr: stderr } = live.cellRecord(id);
    if (stdout !== '' || stderr !== '')
      outputs.push({ name: `outputs/${id}/console.json`, content: { text: JSON.stringify({ stdout, stderr }) } });
    cells[id] = describedCell(
      live,
      id,
      files.map(({ entry }) => entry),
    );
    const stored = await storedBy(live, shown);
    artifacts[id] = stored.map(({ name, contentType, version }) => ({
      variable: name,
      artifact_id: version.id,
      version: version.version,
      provenance_hash: version.provenanceHash,
      content_type: contentType,
      content_sha256: version.contentSha256,
      byte_size: version.byteSize,
    }));
    if (include === 'none' || (include === 'selected' && !selected.includes(id))) continue;
    for (const [part, list] of kept) {
      if (part !== id && !part.startsWith(`${id}@`)) continue;
      results[part] = list;
      for (const result of list) {
        for (const { version } of await storedBy(live, result)) {
          if (isPlainFile(live.blobPath(version))) carried.set(shortAddress(version), version);
        }
      }
    }
  }
  for (const [address, version] of carried) records[address] = recordOf(version);
  const fetched = await fetchedBy(live.directory);
  const manifest = {
    format_version: formatVersion,
    notebook_id: notebook.id,
    include,
    cells,
    artifacts,
    carried: [...carried.keys()],
    records,
    results,
    fetches: fetchesOf(live, fetched),
  };
  return [
    ...(await bundleMembers(live, lockfileHash)),
    ...outputs,
    ...[...carried].map(([address, version]) => ({
      name: `artifacts/${address}`,
      content: { file: live.blobPath(version) },
    })),
    ...(include === 'all' ? fetchMembers(live.directory, fetched) : []),
    { name: 'artifacts.json', content: { text: `${JSON.stringify(manifest)}\n` } },
  ];
}

const fetchesOf = (live: LiveNotebook, fetched: Awaited<ReturnType<typeof fetchedBy>>): object[] =>
  [...live.shape().cells].flatMap(([cell_id, { directives }]) =>
    directives.fetches.map(({ name, url, sha256, refetch }) => ({
      cell_id,
      name,
      url: namedUrl(url),
      pinned: sha256 !== null,
      sha256: sha256 ?? fetched[fetchKey(url)]?.sha256 ?? null,
      refetch,
    })),
  );

function describedCell(live: LiveNotebook, id: string, outputs: readonly object[]): object {
  const { status, error, display_outputs } = live.cellRecord(id);
  const facts = live.session().facts.get(id);
  const duration = live.lastDuration(id);
  return {
    status,
    provenance_hash: live.shown(id)?.key ?? null,
    source_hash: facts?.sourceDigest ?? '',
    env_hash: facts?.environmentHash ?? '',
    reopen_identity: '',
    execution_samples: duration === undefined ? [] : [{ cache_hit: false, duration_ms: duration }],
    error,
    error_source_hash: error === null ? null : (facts?.sourceDigest ?? null),
    outputs,
    display_outputs: display_outputs.map(({ inline_data_url: _url, markdown_text: _text, ...display }) => display),
    widget_values: live.shape().cells.get(id)?.chosen ?? {},
  };
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/svg+xml': 'svg',
  'text/markdown': 'md',
  'text/html': 'html',
};

function outputFile(
  live: LiveNotebook,
  cellId: string,
  index: number,
  display: Display,
): { member: Member; entry: object } {
  const { content_type, preview, rows, columns, artifact_uri, error } = display;
  const extension = extensions[content_type];
  const name = `outputs/${cellId}/${index}.${extension ?? 'json'}`;
  const address = parseArtifactUri(artifact_uri);
  const file = address && live.blobPath(address);
  const described = {
    content_type,
    preview: preview ?? null,
    rows: rows ?? null,
    columns: columns ?? null,
    artifact_uri,
    error: error ?? null,
  };
  const content = extension && file && isPlainFile(file) ? { file } : { text: JSON.stringify(described) };
  return { member: { name, content }, entry: { file: name, content_type, artifact_uri } };
}

const recordOf = (version: ArtifactVersion): object => ({
  id: version.id,
  version: version.version,
  state: version.state,
  provenance_hash: version.provenanceHash,
  schema_json: version.schema ?? '',
  row_count: version.rowCount,
  byte_size: version.byteSize,
  created_at: version.createdAt,
  transform_spec: version.transformSpec,
  input_versions: version.inputVersions,
  principal: version.principal,
  content_sha256: version.contentSha256,
  uri: artifactUri(version),
});
