// What a program does with results of a notebook beyond it: where one comes from, what publishing it would show, publishing
// it, promoting it to the team's store. The rules are those of the routes that do the same with versions of a store.
import {
  type Artifacts,
  type ArtifactVersion,
  artifactUri,
  type CopySource,
  copyInto,
  defaultDepth,
  type LineageNode,
  lineageOf,
  type Promotion,
  parseArtifactUri,
  promote,
  type TeamStore,
} from '../artifacts/index.ts';
import { refusals } from '../errors/index.ts';
import type { Caller } from '../identity/index.ts';
import type { LiveNotebook } from '../notebook/index.ts';
import type { ExposedStep, PreflightBody, PublishedResultBody } from '../protocol/index.ts';
import type { Settings } from '../settings/index.ts';
import { checkTables, mayReadTables } from './tableRules.ts';
import { variantLabel } from './variants.ts';

export interface ResultParts {
  readonly settings: Settings;
  /** The store that publications are served from; undefined where the deployment keeps none. */
  readonly artifacts: () => Promise<Artifacts | undefined>;
  /** Undefined where no team shares a store. */
  readonly teamStore: TeamStore | undefined;
}

/** What a cell stored: the value of one of its variables, or `__display__<n>` for what it showed. */
export interface ResultName {
  readonly cellId: string;
  readonly variable: string;
}

export interface ResultDesk {
  lineage(result: ResultName, maxDepth: number): Promise<object>;
  /** What everybody could read, without publishing anything. */
  preflight(result: ResultName): Promise<PreflightBody>;
  publish(result: ResultName, title: string | null): Promise<PublishedResultBody>;
  promote(result: ResultName, wish: Omit<Promotion, 'maxDepth' | 'table'>): Promise<object>;
}

export function createResultDesk(
  live: LiveNotebook,
  { settings, artifacts, teamStore }: ResultParts,
  caller: Caller,
): ResultDesk {
  const source: CopySource = { get: live.artifact, fileOf: async (one) => live.blobPath(one) };

  async function versionOf({ cellId, variable }: ResultName): Promise<ArtifactVersion> {
    if (!live.session().facts.has(cellId)) throw refusals.cellUnknown(cellId);
    const stored = storedBy(live, cellId);
    const address = parseArtifactUri(stored.get(variable) ?? '');
    const version = address && (await live.artifact(address));
    if (!version) throw refusals.resultNotStored(cellId, variable, [...stored.keys()]);
    return version;
  }

  async function nodesOf(version: ArtifactVersion, maxDepth: number): Promise<readonly LineageNode[]> {
    return (await lineageOf(source, version, maxDepth, mayReadTables(settings, caller))).nodes;
  }

  /** Copies are writes, which a service allows or does not, and belong to a tenant. */
  async function publishingStore(): Promise<{ store: Artifacts; tenant: string }> {
    if (settings.deploymentMode === 'service' && !settings.serviceWritesEnabled) throw refusals.writesDisabled();
    if (caller.authenticated && caller.tenant === null && !caller.scopes.has('admin:*'))
      throw refusals.tenantRequired('operations');
    const store = await artifacts();
    if (!store) throw refusals.noArtifactStore();
    return { store, tenant: caller.tenant ?? '' };
  }

  return {
    async lineage(result, maxDepth) {
      const version = await versionOf(result);
      return {
        artifact_id: version.id,
        version: version.version,
        provenance_hash: version.provenanceHash,
        content_sha256: version.contentSha256,
        steps: (await nodesOf(version, maxDepth)).map(stepOf),
      };
    },

    async preflight(result) {
      const version = await versionOf(result);
      const nodes = await nodesOf(version, defaultDepth);
      return {
        artifact_id: version.id,
        version: version.version,
        exposes: nodes.map(stepOf),
        step_count: nodes.length,
        reads_source_of: nodes.filter((node) => node.source !== '').map(({ uri }) => uri),
        note: 'Nothing was published. Publishing lets everybody who has the link read the bytes of this result, and of each step above its source, its environment and where it read from.',
      };
    },

    async publish(result, title) {
      const version = await versionOf(result);
      const { store, tenant } = await publishingStore();
      await checkTables(settings, caller, source, version);
      const { landed, copied } = await copyInto(store, source, version, defaultDepth, () => tenant);
      const actor = { tenant, principal: caller.principal };
      const facts = { title, authors: [], externalIds: [] };
      const { publication, token } = await store.publications.publish(actor, landed, facts);
      return {
        token: token ?? '',
        url: token === null ? null : `/p/${token}`,
        id: publication.publicationId,
        artifact_uri: artifactUri(landed),
        title: publication.title,
        content_sha256: landed.contentSha256,
        copied,
      };
    },

    async promote(result, { name, alias, tags }) {
      const version = await versionOf(result);
      if (!teamStore) throw refusals.noTeamStore();
      const wish = { name, alias, tags, table: null };
      const promoted = await promote(teamStore, source, version, wish, caller.principal);
      return {
        status: promoted.aliasPending ? 'pending' : 'applied',
        name,
        artifact_uri: artifactUri(promoted.address),
        copied: promoted.copied,
        alias,
        store: teamStore.url,
      };
    },
  };
}

/** The addresses of what the shown result of a cell holds, by name; one of a variant is `name@variant=<variant>`. */
function storedBy(live: LiveNotebook, cellId: string): ReadonlyMap<string, string> {
  const shown = live.shown(cellId);
  const values = Object.entries(shown?.variables ?? {}).flatMap(([name, { uri, sweep }]): [string, string][] =>
    sweep
      ? Object.entries(sweep.variants).map(([variant, value]) => [variantLabel(name, variant), value.uri])
      : [[name, uri]],
  );
  const displays = (shown?.displays ?? []).map(({ artifact_uri }, index): [string, string] => [
    `__display__${index}`,
    artifact_uri,
  ]);
  return new Map([...values, ...displays]);
}

const stepOf = (node: LineageNode): ExposedStep => ({
  uri: node.uri,
  type: node.type,
  artifact_id: node.artifact_id,
  version: node.version,
  transform: node.transform_ref,
  source: node.source,
  build_env: node.build_env,
  principal: node.principal,
  content_sha256: node.content_sha256,
});
