// One version: what is known of it, its bytes, where it came from, what was made of it, and its end.
import { z } from 'zod';
import { type ArtifactVersion, artifactUri, dependentsOf, lineageOf, removeVersion } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import {
  artifactRecord,
  dependentsBody,
  detailBody,
  detailObjectBody,
  lineageBody,
  queryInt,
} from '../../../protocol/index.ts';
import { anyCaller } from '../../access.ts';
import { fileContent } from '../../fileContent.ts';
import { framePolicy } from '../../plugins/envelope.ts';
import { teamRelay } from '../../plugins/teamRelay.ts';
import { sendBlob } from '../../sendBlob.ts';
import type { App, Services } from '../../services.ts';
import { addressIn, finishedVersionFor, isVisible, storeOf, tenantFilter, versionFor, versionParams } from './gates.ts';
import { checkTables, mayReadTables } from './tables.ts';

const tags = ['artifacts'];
const notThere = { 400: detailBody, 403: detailObjectBody, 404: detailBody };

export function versionRoutes(app: App, services: Services): void {
  const { settings, log } = services;

  app.get(
    '/v1/artifacts/:artifact_id/v/:version',
    {
      config: anyCaller(),
      schema: { tags, summary: 'One version', params: versionParams, response: { 200: artifactRecord, ...notThere } },
    },
    async (request) => recordOf(await versionFor(services, request.caller, addressIn(request.params))),
  );

  app.get(
    '/v1/artifacts/:artifact_id/v/:version/data',
    {
      config: anyCaller({ runToken: 'anywhere' }),
      schema: {
        tags,
        summary: 'The bytes of a version',
        params: versionParams,
        response: {
          200: { description: 'The stored bytes', content: fileContent('application/vnd.apache.arrow.stream') },
          ...notThere,
          503: detailBody,
        },
      },
    },
    async (request, reply) => {
      const version = await finishedVersionFor(services, request.caller, addressIn(request.params));
      await checkTables(services, request.caller, version);
      const blob = await storeOf(services).versions.open(version);
      if (!blob) throw refusals.artifactDataNotFound();
      reply.type('application/vnd.apache.arrow.stream');
      reply.header('content-security-policy', `sandbox; ${framePolicy(settings)}`);
      if (version.rowCount !== null) reply.header('x-arrow-row-count', String(version.rowCount));
      return sendBlob(reply, blob, log);
    },
  );

  app.get(
    '/v1/artifacts/:artifact_id/v/:version/lineage',
    {
      config: anyCaller(),
      preHandler: teamRelay(services),
      schema: {
        tags,
        summary: 'What a version was made from, step by step',
        params: versionParams,
        querystring: z.object({ max_depth: queryInt({ min: 1, max: 100 }).default(10) }),
        response: { 200: lineageBody, ...notThere, 502: detailBody },
      },
    },
    async (request) => {
      const version = await finishedVersionFor(services, request.caller, addressIn(request.params));
      const tenant = tenantFilter(request.caller);
      const mayRead = mayReadTables(services, request.caller);
      return lineageOf(
        storeOf(services).versions,
        version,
        request.query.max_depth,
        (one) => isVisible(one, tenant) && mayRead(one),
      );
    },
  );

  app.get(
    '/v1/artifacts/:artifact_id/v/:version/dependents',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'Ready versions that take this one as a direct input',
        params: versionParams,
        querystring: z.object({ limit: queryInt({ min: 1, max: 1000 }).default(100) }),
        response: { 200: dependentsBody, ...notThere },
      },
    },
    async (request) => {
      const version = await finishedVersionFor(services, request.caller, addressIn(request.params));
      const tenant = tenantFilter(request.caller);
      const { dependents, total } = await dependentsOf(storeOf(services).parts, version, request.query.limit, tenant);
      return {
        artifact_uri: artifactUri(version),
        artifact_id: version.id,
        version: version.version,
        dependents: dependents.map((one) => ({
          artifact_uri: artifactUri(one),
          artifact_id: one.id,
          version: one.version,
          name: one.name,
          transform_ref: one.transformRef,
          created_at: one.createdAt,
          input_version: one.inputVersion,
        })),
        total_count: total,
      };
    },
  );

  app.delete(
    '/v1/artifacts/:artifact_id/v/:version',
    {
      config: anyCaller({ personalOnly: 'artifact' }),
      schema: {
        tags,
        summary: 'Delete a version, its bytes and what points at it',
        params: versionParams,
        response: {
          200: z.object({ deleted: z.boolean(), artifact_uri: z.string() }),
          ...notThere,
          409: detailBody,
        },
      },
    },
    async (request) => {
      const version = await versionFor(services, request.caller, addressIn(request.params));
      const removed = await removeVersion(storeOf(services).parts, version, request.caller.principal);
      if (!removed) throw refusals.artifactNotFound();
      return { deleted: true, artifact_uri: artifactUri(version) };
    },
  );
}

function recordOf(version: ArtifactVersion): z.infer<typeof artifactRecord> {
  return {
    artifact_id: version.id,
    version: version.version,
    state: version.state,
    arrow_schema: version.schema,
    row_count: version.rowCount,
    byte_size: version.byteSize,
    created_at: version.createdAt,
    content_sha256: version.contentSha256,
    provenance_hash: version.provenanceHash,
    transform_spec: version.transformSpec,
    input_versions: version.inputVersions,
  };
}
