// Where a version comes from and what was made of it. Both follow the recorded inputs, level by level, and stop at a depth;
// versions that the reader may not see are named and nothing more.
import { number as numberOf, type Row, text, textOrNull } from '../database/index.ts';
import type { StoreParts } from './parts.ts';
import { recordedInputs, versionOf } from './rows.ts';
import { transformOf } from './transform.ts';
import { type ArtifactAddress, type ArtifactVersion, artifactUri } from './types.ts';

export interface LineageNode {
  readonly uri: string;
  readonly artifact_id: string | null;
  readonly version: number | null;
  readonly type: 'artifact' | 'table' | 'fetch';
  readonly transform_ref: string | null;
  readonly created_at: number | null;
  readonly principal: string | null;
  readonly build_env: string;
  readonly build_duration_ms: number;
  readonly env_hash: string;
  readonly source: string;
  readonly content_sha256: string | null;
  readonly snapshot_at: number | null;
  readonly snapshot_valid_until: number | null;
}

export interface LineageEdge {
  readonly from_uri: string;
  readonly to_uri: string;
  readonly input_version: string;
}

export interface Lineage {
  readonly artifact_uri: string;
  readonly artifact_id: string;
  readonly version: number;
  readonly nodes: LineageNode[];
  readonly edges: LineageEdge[];
  readonly depth: number;
  readonly direct_inputs: string[];
}

/** Where versions are looked up: a server's store, or a notebook's own. */
export interface VersionSource {
  get(address: ArtifactAddress): Promise<ArtifactVersion | undefined>;
}

export type MayRead = (version: ArtifactVersion) => boolean;

export async function lineageOf(
  source: VersionSource,
  root: ArtifactVersion,
  maxDepth: number,
  mayRead: MayRead,
): Promise<Lineage> {
  const nodes = new Map<string, LineageNode>([[artifactUri(root), artifactNode(root)]]);
  const edges: LineageEdge[] = [];
  let depth = 0;
  let level: ArtifactVersion[] = [root];
  for (let step = 1; step <= maxDepth && level.length > 0; step++) {
    const next: ArtifactVersion[] = [];
    for (const child of level) {
      const artifacts: ArtifactAddress[] = [];
      for (const { uri, version, address } of recordedInputs(child.inputVersions)) {
        const from = address ? artifactUri(address) : uri;
        edges.push({ from_uri: from, to_uri: artifactUri(child), input_version: version });
        if (address) artifacts.push(address);
        else if (!nodes.has(uri)) nodes.set(uri, leafNode(uri, version));
      }
      for (const address of artifacts) {
        const uri = artifactUri(address);
        depth = step;
        if (nodes.has(uri)) continue;
        const parent = await source.get(address);
        const shown = parent && mayRead(parent) ? parent : undefined;
        nodes.set(uri, shown ? artifactNode(shown) : bareNode(address));
        if (shown) next.push(shown);
      }
    }
    level = next;
  }
  return {
    artifact_uri: artifactUri(root),
    artifact_id: root.id,
    version: root.version,
    nodes: [...nodes.values()],
    edges,
    depth,
    direct_inputs: recordedInputs(root.inputVersions).map(({ uri, address }) => (address ? artifactUri(address) : uri)),
  };
}

const nothingKnown = {
  transform_ref: null,
  created_at: null,
  principal: null,
  build_env: '',
  build_duration_ms: 0,
  env_hash: '',
  source: '',
  content_sha256: null,
  snapshot_at: null,
  snapshot_valid_until: null,
};

const bareNode = ({ id, version }: ArtifactAddress): LineageNode => ({
  ...nothingKnown,
  uri: artifactUri({ id, version }),
  artifact_id: id,
  version,
  type: 'artifact',
});

/** A recorded version that is a digest belongs to something that was downloaded; any other leaf is a table. */
function leafNode(uri: string, version: string): LineageNode {
  const digest = /^sha256:([0-9a-f]{64})/.exec(version)?.[1];
  const leaf = { ...nothingKnown, uri, artifact_id: null, version: null };
  return digest === undefined ? { ...leaf, type: 'table' } : { ...leaf, type: 'fetch', content_sha256: digest };
}

function artifactNode(version: ArtifactVersion): LineageNode {
  const { executor, params } = transformOf(version.transformSpec);
  const word = (key: string): string => (params[key] === undefined ? '' : String(params[key]));
  return {
    ...bareNode(version),
    transform_ref: executor,
    created_at: version.createdAt,
    principal: version.principal,
    build_env: word('build_env'),
    build_duration_ms: Number(word('build_duration_ms')) || 0,
    env_hash: word('env_hash'),
    source: word('source'),
    content_sha256: version.contentSha256,
  };
}

export interface Dependent extends ArtifactAddress {
  readonly name: string | null;
  readonly transformRef: string | null;
  readonly createdAt: number;
  readonly inputVersion: string;
}

/** Ready versions that take this one as a direct input, newest first, of tenants that the reader sees. */
export async function dependentsOf(
  { database }: StoreParts,
  { id, version }: ArtifactAddress,
  limit: number,
  tenant: string | undefined,
): Promise<{ dependents: Dependent[]; total: number }> {
  const seen = tenant === undefined ? '' : " AND v.tenant IN (?, '')";
  const params = [id, version, ...(tenant === undefined ? [] : [tenant])];
  const from = `FROM artifact_inputs i JOIN artifact_versions v
    ON v.id = i.artifact_id AND v.version = i.version AND v.state = 'ready'
    WHERE i.input_id = ? AND i.input_number = ?${seen}`;
  const dependents = await database.all(
    `SELECT v.*, i.input_version AS input_version,
       (SELECT MIN(n.name) FROM artifact_names n WHERE n.artifact_id = v.id AND n.version = v.version AND n.tenant = v.tenant) AS name
     ${from} ORDER BY v.created_at DESC, v.id, v.version LIMIT ?`,
    [...params, limit],
    dependentOf,
  );
  const total = await database.get(`SELECT COUNT(*) AS total ${from}`, params, (row) => numberOf(row, 'total'));
  return { dependents, total: total ?? 0 };
}

function dependentOf(row: Row): Dependent {
  const found = versionOf(row);
  return {
    id: found.id,
    version: found.version,
    name: textOrNull(row, 'name'),
    transformRef: transformOf(found.transformSpec).executor,
    createdAt: found.createdAt,
    inputVersion: text(row, 'input_version'),
  };
}

/** How many steps an ancestry may have and still be checked for what its reader may not see. */
export const maxAncestry = 100;

/** Every version that this one was made from, itself included; undefined when the ancestry is too deep to be known whole. */
export async function ancestryOf(
  source: VersionSource,
  root: ArtifactVersion,
): Promise<readonly ArtifactVersion[] | undefined> {
  const found = new Map([[artifactUri(root), root]]);
  let level = [root];
  for (let step = 0; level.length > 0; step++) {
    if (step > maxAncestry) return undefined;
    const next: ArtifactVersion[] = [];
    for (const { address } of level.flatMap(({ inputVersions }) => recordedInputs(inputVersions))) {
      if (!address || found.has(artifactUri(address))) continue;
      const parent = await source.get(address);
      if (!parent) continue;
      found.set(artifactUri(address), parent);
      next.push(parent);
    }
    level = next;
  }
  return [...found.values()];
}
