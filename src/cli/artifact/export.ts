// `svc artifact export`: the rows of a version as the content of a table, in this process.
import { z } from 'zod';
import { artifactUri, contentTypeOf, shortAddress } from '../../artifacts/index.ts';
import { refusals } from '../../errors/index.ts';
import { createOffline } from '../../server/offline.ts';
import { exportSummary } from '../../tables/index.ts';
import { check } from '../options.ts';
import { printJson } from '../print.ts';
import { findReference, storeOptions, withStore } from './store.ts';

const exportOptions = storeOptions.extend({
  table: z.string().min(1).max(1024),
  alias: z.string().min(1).max(128).optional(),
  by: z.string().optional(),
  format: z.enum(['human', 'json']),
});

export async function exportArtifact(reference: string, given: object): Promise<void> {
  const options = check(exportOptions, given);
  await withStore(options, async ({ artifacts, settings }) => {
    const version = await findReference(artifacts, reference, options.tenant);
    const contentType = contentTypeOf(version);
    if (contentType !== 'arrow/ipc') throw refusals.notATable(version.id, contentType || 'a value');
    const source = (await artifacts.versions.peek(version))?.file;
    if (source === undefined) throw new Error(`The bytes of ${shortAddress(version)} do not lie in a file here.`);
    const offline = createOffline(settings);
    try {
      const { planner, writes } = offline.tables();
      const { snapshotId, created } = await writes.write({
        address: planner.address(options.table),
        source,
        mode: 'overwrite',
        tenant: version.tenant,
        tag: options.alias ?? null,
        makeWarehouse: true,
        summary: exportSummary(version, options.by ?? ''),
      });
      const result = { artifact_uri: artifactUri(version), table: options.table, snapshot_id: snapshotId, created };
      if (options.format === 'json')
        return printJson({ ...result, snapshot_id: snapshotId === null ? null : JSON.rawJSON(snapshotId) });
      process.stdout.write(`${result.artifact_uri} is snapshot ${snapshotId} of ${options.table}.\n`);
    } finally {
      await offline.close();
    }
  });
}
