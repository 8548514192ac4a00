// Reading lake tables: the disk cache, fetching, and the catalogs that tables are found in.

import { choice, databaseUrl, integer, jsonObject, path, text } from '../kinds/index.ts';
import { fixed, optional, setting, unset } from '../row.ts';
import { catalogPropertiesSchema, catalogsSchema } from '../schemas/credentials.ts';

export const cacheRows = {
  cacheDir: setting(path(), fixed('~/.svc/cache'), 'Directory of the row-group cache.'),
  maxCacheSizeBytes: setting(integer(0), fixed(10_737_418_240), 'Size the row-group cache is kept below.'),
  cacheGranularity: setting(
    choice('row_group_projection', 'row_group'),
    fixed('row_group_projection'),
    'Whether a cache entry holds the columns that were asked for or the whole row group.',
  ),
  batchSize: setting(integer(1), fixed(65_536), 'Rows in a batch.'),
  fetchParallelism: setting(integer(1), fixed(4), 'Row groups one scan fetches at a time.'),
  maxFetchWorkers: setting(integer(1), fixed(32), 'Row groups fetched at a time by all scans together.'),
};

export const catalogRows = {
  metadataDb: setting(
    path(),
    fixed('~/.svc/meta.sqlite'),
    'Catalog database of a personal server for object-store warehouses without a catalog uri; a service refuses such a table.',
  ),
  catalogName: setting(
    text(),
    fixed('default'),
    'Name of the default catalog, which must be the name its tables were created under; a warehouse URI always reads its SQL catalog as `svc`.',
  ),
  catalogProperties: setting(
    jsonObject('a JSON object of catalog properties', catalogPropertiesSchema),
    fixed({}),
    'Properties of the default catalog.',
  ),
  catalogs: setting(
    jsonObject('a JSON object {name: properties}', catalogsSchema, { named: true }),
    fixed({}),
    'Named catalogs, addressed as `<name>:<namespace>.<table>`; `svc_credential` names a credential of this server, `credential` goes to the catalog as it stands.',
  ),
  catalogUri: optional(databaseUrl(), unset, 'Catalog database URL, put into the default catalog as its uri.', {
    environmentOnly: true,
    secret: true,
  }),
};
