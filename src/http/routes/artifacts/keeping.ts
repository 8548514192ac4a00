// What keeps versions and what lets them go: pins, and the sweep of everything that nothing holds.
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import { collectedBody, detailBody, detailObjectBody, queryBool } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { actorOf, addressIn, storeOf, versionFor, versionParams, writableStore } from './gates.ts';

const tags = ['artifacts'];

export function keepingRoutes(app: App, services: Services): void {
  const { settings } = services;
  const refused = { 400: detailBody, 403: detailObjectBody, 404: detailBody };

  app.post(
    '/v1/artifacts/:artifact_id/v/:version/pin',
    {
      config: needs('artifacts:pin'),
      schema: {
        tags,
        summary: 'Keep a version, for a reason',
        params: versionParams,
        body: z.object({ reason: z.string() }),
        response: {
          200: z.object({
            artifact_id: z.string(),
            version: z.int(),
            reason: z.string(),
            tenant: z.string(),
            pinned_by: z.string().nullable(),
            pinned_at: z.number(),
          }),
          ...refused,
        },
      },
    },
    async ({ params, body: { reason }, caller }) => {
      if (reason.trim() === '') throw refusals.pinNeedsReason();
      const version = await versionFor(services, caller, addressIn(params));
      const { tenant, principal } = actorOf(caller);
      const { pinnedAt } = await storeOf(services).pins.pin({ tenant, principal }, version, reason);
      return {
        artifact_id: version.id,
        version: version.version,
        reason,
        tenant,
        pinned_by: principal,
        pinned_at: pinnedAt,
      };
    },
  );

  app.delete(
    '/v1/artifacts/:artifact_id/v/:version/pin',
    {
      config: needs('artifacts:pin'),
      schema: {
        tags,
        summary: 'Take a reason to keep a version away',
        params: versionParams,
        querystring: z.object({ reason: z.string() }),
        response: {
          200: z.object({ unpinned: z.boolean(), artifact_id: z.string(), version: z.int(), reason: z.string() }),
          ...refused,
        },
      },
    },
    async ({ params, query: { reason }, caller }) => {
      const version = await versionFor(services, caller, addressIn(params));
      if (!(await storeOf(services).pins.unpin(version, reason))) throw refusals.pinNotFound();
      return { unpinned: true, artifact_id: version.id, version: version.version, reason };
    },
  );

  app.post(
    '/v1/artifacts/gc',
    {
      config: needs('admin:*'),
      schema: {
        tags,
        summary: 'Collect what nothing holds',
        querystring: z.object({
          max_idle_days: z.coerce.number().optional(),
          max_bytes: z.coerce.number().optional(),
          min_idle_seconds: z.coerce.number().optional(),
          collect_latest: queryBool().default(false),
          dry_run: queryBool().default(false),
        }),
        response: { 200: collectedBody, 400: detailBody, 403: detailObjectBody },
      },
    },
    async ({ query }) => {
      for (const name of ['max_idle_days', 'max_bytes', 'min_idle_seconds'] as const)
        if ((query[name] ?? 0) < 0) throw refusals.limitNegative(name);
      const policy = {
        maxIdleDays: (query.max_idle_days ?? settings.artifactGcMaxIdleDays) || null,
        maxBytes: (query.max_bytes ?? settings.artifactGcMaxBytes) || null,
        minIdleSeconds: query.min_idle_seconds ?? settings.artifactGcMinIdleSeconds,
        collectLatest: query.collect_latest,
      };
      const { collection } = writableStore(services);
      if (!query.dry_run) {
        const { deletedCount, deletedBytes, storeBytes } = await collection.collect(policy);
        return {
          deleted_count: deletedCount,
          deleted_bytes: deletedBytes,
          store_bytes: storeBytes,
          dry_run: false,
        };
      }
      const { victims, storeBytes } = await collection.plan(policy);
      return {
        deleted_count: victims.length,
        deleted_bytes: victims.reduce((sum, { byteSize }) => sum + byteSize, 0),
        store_bytes: storeBytes,
        dry_run: true,
        collected: victims.map(({ id, version, byteSize, lastUsedAt }) => ({
          artifact_id: id,
          version,
          byte_size: byteSize,
          last_used_at: lastUsedAt,
        })),
      };
    },
  );
}
