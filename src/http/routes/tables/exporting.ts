// `POST …/export`: the rows of an artifact as the content of a table.
import { artifactUri, contentTypeOf } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import { detailBody, detailObjectBody, exportedBody, exportRequest } from '../../../protocol/index.ts';
import { exportSummary } from '../../../tables/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { addressIn, finishedVersionFor, storeOf, versionParams } from '../artifacts/gates.ts';
import { checkTables } from '../artifacts/tables.ts';
import { checkTable } from './access.ts';

export function exportRoutes(app: App, services: Services): void {
  const { tables } = services;
  app.post(
    '/v1/artifacts/:artifact_id/v/:version/export',
    {
      config: needs('artifacts:write'),
      schema: {
        tags: ['artifacts'],
        summary: 'Write the rows of a version to an Iceberg table',
        params: versionParams,
        body: exportRequest,
        response: {
          200: exportedBody,
          400: detailBody,
          403: detailObjectBody,
          404: detailBody,
          409: detailBody,
          503: detailBody,
          504: detailBody,
        },
      },
    },
    async (request) => {
      const { caller, body } = request;
      const version = await finishedVersionFor(services, caller, addressIn(request.params));
      await checkTables(services, caller, version);
      const address = checkTable(services, caller, body.table);
      const contentType = contentTypeOf(version);
      if (contentType !== 'arrow/ipc') throw refusals.notATable(version.id, contentType || 'a value');
      const store = storeOf(services);
      const blob = await store.versions.open(version);
      if (!blob) throw refusals.artifactDataNotFound();
      const staged =
        blob.file === undefined ? await store.staging.receive(await blob.read(), Number.POSITIVE_INFINITY) : undefined;
      try {
        const { snapshotId, created } = await tables.writes.write({
          address,
          source: staged?.file ?? blob.file ?? '',
          mode: 'overwrite',
          tenant: caller.tenant ?? '',
          tag: body.alias,
          makeWarehouse: true,
          summary: exportSummary({ ...version, tenant: caller.tenant ?? '' }, caller.principal ?? ''),
        });
        const snapshot_id = snapshotId === null ? null : JSON.rawJSON(snapshotId);
        return { table: body.table, snapshot_id, created, artifact_uri: artifactUri(version) };
      } finally {
        if (staged) await store.staging.discard(staged);
      }
    },
  );
}
