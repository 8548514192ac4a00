// `GET /v1/artifacts/builds/{id}` and its neighbours: how a build is doing, ending it, and the manifest for executors that pull.
import { z } from 'zod';
import { type ArtifactVersion, artifactUri } from '../../../artifacts/index.ts';
import { type Build, type Builds, shortMessage } from '../../../builds/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { buildBody, buildManifestBody, cancelledBuildBody, detailBody } from '../../../protocol/index.ts';
import { type Stream, scannedVersion } from '../../../tables/index.ts';
import type { CellTransport } from '../../../workers/index.ts';
import { anyCaller, open } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { isOwn } from '../tables/access.ts';

export const buildParams = z.object({ build_id: z.string() });

export function statusRoutes(app: App, services: Services): void {
  const { settings, tables, builds, pulledCells, owners } = services;
  const tags = ['builds'];

  for (const url of ['/v1/artifacts/builds/:build_id', '/v1/builds/:build_id']) {
    app.get(
      url,
      {
        config: anyCaller(),
        schema: {
          tags,
          summary: 'How a build is doing',
          params: buildParams,
          response: { 200: buildBody, 403: detailBody, 404: detailBody },
          hide: url.startsWith('/v1/builds/'),
        },
      },
      async (request) => {
        const { build_id } = request.params;
        const hidden = refusals.buildHidden(settings.hideForbiddenAsNotFound);
        const scan = tables.scans.find(build_id);
        if (scan && !isOwn(scan, request.caller)) throw hidden;
        if (scan) return describeScan(scan);
        const stored = await storedScan(services, build_id);
        if (!stored) return describeBuild(await ownBuild(services, build_id, request.caller));
        if (!isOwn(stored, request.caller)) throw hidden;
        return describeStored(build_id, stored, (await owners.otherOwner(build_id)) !== undefined);
      },
    );
  }

  app.post(
    '/v1/artifacts/builds/:build_id/cancel',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'End a build; one that is over stays as it is',
        params: buildParams,
        response: { 200: cancelledBuildBody, 403: detailBody, 404: detailBody },
      },
    },
    async (request) => {
      const build = await ownBuild(services, request.params.build_id, request.caller);
      return { build_id: build.id, cancelled: (await builds?.cancel(build)) ?? false };
    },
  );

  app.get(
    '/v1/builds/:build_id/manifest',
    {
      config: open('signed'),
      schema: {
        tags,
        summary: 'Claim a build, or renew the claim: everything that an executor needs to work on it',
        params: buildParams,
        querystring: z.object({ expires_at: z.coerce.number().optional(), signature: z.string().optional() }),
        response: { 200: buildManifestBody, 400: detailBody, 403: detailBody, 404: detailBody, 409: detailBody },
      },
    },
    async (request) => {
      const { build_id } = request.params;
      const { expires_at, signature } = request.query;
      if ((signature === undefined) !== (expires_at === undefined)) throw refusals.signatureIncomplete();
      if (signature !== undefined && expires_at !== undefined) {
        const capability = { op: 'manifest' as const, build_id, expires_at };
        return (await cellTransport(services, build_id)).renew({ capability, signature });
      }
      if (settings.deploymentMode === 'service' && settings.authMode !== 'trusted_proxy')
        throw refusals.manifestsNotIssued();
      const owner = pulledCells.ownerOf(build_id);
      if (owner && !isOwn(owner, request.caller)) throw refusals.buildHidden(settings.hideForbiddenAsNotFound);
      if (owner) return pulledCells.renewBuild(build_id);
      const build = await ownBuild(services, build_id, request.caller);
      const base = `${request.protocol}://${request.host}${settings.publicBasePath}`;
      return pulledOf(services).manifest(build, base);
    },
  );
}

/** Where the cell is built: for whoever waits for it, here or on another server. */
async function cellTransport({ pulledCells, owners, forwardedTo }: Services, id: string): Promise<CellTransport> {
  const owner = pulledCells.holds(id) ? undefined : await owners.otherOwner(id);
  return owner === undefined ? pulledCells : forwardedTo(owner);
}

export function pulledOf({ builds }: Services): Builds['pulled'] {
  if (!builds) throw refusals.buildNotFound();
  return builds.pulled;
}

/** The build, when it is there for this caller. */
export async function ownBuild({ builds, settings }: Services, id: string, caller: Caller): Promise<Build> {
  const build = await builds?.find(id);
  if (!build) throw refusals.buildNotFound();
  if (!isOwn(build, caller)) throw refusals.buildHidden(settings.hideForbiddenAsNotFound);
  return build;
}

const states = { waiting: 'pending', running: 'building', ready: 'ready', failed: 'failed' } as const;

function describeScan({ id, run }: Stream): z.infer<typeof buildBody> {
  const { version, failure } = run;
  return {
    build_id: id,
    artifact_id: version?.id ?? id,
    version: version?.version ?? 1,
    state: states[run.state],
    artifact_uri: artifactUri(version ?? { id, version: 1 }),
    executor_ref: 'scan@v1',
    progress: null,
    created_at: run.createdAt,
    started_at: run.startedAt ?? null,
    completed_at: run.endedAt ?? null,
    error_message: failure ? shortMessage(failure.message) : null,
    error_code: failure?.name ?? null,
  };
}

/** What became of a scan that this server does not remember: it was ordered before a restart, or on another server. */
async function storedScan({ artifacts }: Services, id: string): Promise<ArtifactVersion | undefined> {
  const version = await artifacts?.versions.get(scannedVersion(id));
  return version && executorOf(version.transformSpec) === 'scan@v1' ? version : undefined;
}

const executorOf = (spec: string | null): unknown => Object(JSON.parse(spec ?? '{}')).executor;

function describeStored(id: string, version: ArtifactVersion, isRead: boolean): z.infer<typeof buildBody> {
  const isOver = version.state !== 'building';
  const isLost = version.state === 'failed' || (!isOver && !isRead);
  const lost =
    'The scan did not come to its end: its server was stopped, or its rows could not be read. Order it again.';
  return {
    build_id: id,
    artifact_id: version.id,
    version: version.version,
    state: isLost ? 'failed' : isOver ? 'ready' : 'building',
    artifact_uri: artifactUri(version),
    executor_ref: 'scan@v1',
    progress: null,
    created_at: version.createdAt,
    started_at: null,
    completed_at: null,
    error_message: isLost ? lost : null,
    error_code: isLost ? 'ScanLost' : null,
  };
}

const describeBuild = ({ id, target, executor, state, failure, ...times }: Build): z.infer<typeof buildBody> => ({
  build_id: id,
  artifact_id: target.id,
  version: target.version,
  state,
  artifact_uri: artifactUri(target),
  executor_ref: executor,
  progress: null,
  created_at: times.createdAt,
  started_at: times.startedAt,
  completed_at: times.completedAt,
  error_message: failure?.message ?? null,
  error_code: failure?.code ?? null,
});
