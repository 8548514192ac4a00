// Browsing a table that a cell displayed: pages, a summary of its columns, and a download of the same view.
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { contentTypeOf, parseArtifactUri } from '../../../artifacts/index.ts';
import {
  browseTable,
  compareTables,
  describeColumn,
  exportTable,
  summariseTable,
  type TableFilter,
  type TableView,
} from '../../../engine/index.ts';
import { refusals } from '../../../errors/index.ts';
import { columnDetails, detailBody, queryBool, queryInt, tableComparison } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import { attachment } from '../../headers.ts';
import type { App, Services } from '../../services.ts';
import { cellOf, cellParams, sessionOf } from './shared.ts';

const maxLimit = 500;
const maxBins = 100;
const maxValues = 500;

const viewQuery = z.object({
  artifact_uri: z.string(),
  sort_by: z.string().nullable().default(null),
  sort_dir: z.string().default('asc'),
  search: z.string().nullable().default(null),
  filters: z.string().nullable().default(null),
});

const filterList = z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])));

const tags = ['cells'];
const notThere = { 400: detailBody, 404: detailBody, 413: detailBody, 503: detailBody, 504: detailBody };

export function dataRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/data',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'A page of a displayed table, filtered, searched and sorted',
        params: cellParams,
        querystring: viewQuery.extend({
          offset: queryInt().default(0),
          limit: queryInt().default(100),
          exact: queryBool().default(false).describe('Nulls as null, NaN as text, with labels of index and columns'),
        }),
        response: {
          200: z.looseObject({ pageable: z.boolean(), cell_id: z.string(), artifact_uri: z.string() }),
          ...notThere,
        },
      },
    },
    async (request) => {
      const { artifact_uri, sort_by, sort_dir } = request.query;
      const offset = Math.max(0, request.query.offset);
      const limit = Math.min(maxLimit, Math.max(1, request.query.limit));
      const view = await viewOf(services, request.params, request.query);
      const page = view && (await browseTable(services.dataEngine(), view, offset, limit, request.query.exact));
      const facts = { cell_id: request.params.cell_id, artifact_uri, offset, limit };
      return page?.pageable ? { ...facts, ...page, sort_by, sort_dir } : { ...facts, pageable: false };
    },
  );

  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/data/summary',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'Type, nulls, distinct values and bounds of each column; with bins, a histogram',
        params: cellParams,
        querystring: viewQuery.pick({ artifact_uri: true }).extend({ bins: queryInt().default(0) }),
        response: {
          200: z.looseObject({ pageable: z.boolean(), cell_id: z.string(), artifact_uri: z.string() }),
          ...notThere,
        },
      },
    },
    async (request) => {
      const { artifact_uri } = request.query;
      const bins = Math.min(maxBins, Math.max(0, request.query.bins));
      const view = await viewOf(services, request.params, viewQuery.parse({ artifact_uri }));
      const found = view && (await summariseTable(services.summaries, view.file, bins, request.signal));
      const facts = { cell_id: request.params.cell_id, artifact_uri };
      return found?.pageable ? { ...facts, ...found } : { ...facts, pageable: false };
    },
  );

  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/data/column',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'One column of the same view: its statistics and its most frequent values',
        params: cellParams,
        querystring: viewQuery.extend({ column: z.string(), limit: queryInt().default(50) }),
        response: { 200: columnDetails, ...notThere },
      },
    },
    async (request) => {
      const { column } = request.query;
      const most = Math.min(maxValues, Math.max(1, request.query.limit));
      const view = await viewOf(services, request.params, request.query);
      const found = view && (await describeColumn(services.dataEngine(), view, column, most));
      if (!found) throw refusals.noSuchColumn(column);
      return found;
    },
  );

  columnRoutes(app, services);
}

function columnRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/data/compare',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'A table beside another version of it: rows that came, went and changed',
        params: cellParams,
        querystring: viewQuery.pick({ artifact_uri: true }).extend({
          before_uri: z.string(),
          offset: queryInt().default(0),
          limit: queryInt().default(100),
          only_different: queryBool().default(true),
        }),
        response: { 200: tableComparison, ...notThere },
      },
    },
    async (request) => {
      const { artifact_uri, before_uri, only_different } = request.query;
      const [before, after] = await Promise.all(
        [before_uri, artifact_uri].map((uri) =>
          viewOf(services, request.params, viewQuery.parse({ artifact_uri: uri })),
        ),
      );
      const offset = Math.max(0, request.query.offset);
      const limit = Math.min(maxLimit, Math.max(1, request.query.limit));
      const page = { offset, limit, onlyDifferent: only_different };
      const found = before && after && (await compareTables(services.dataEngine(), before.file, after.file, page));
      if (!found) throw refusals.notExportable();
      return found;
    },
  );

  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/data/export',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'Download the same view as CSV or Parquet',
        params: cellParams,
        querystring: viewQuery.extend({ fmt: z.string().default('csv') }),
        response: {
          200: {
            description: 'The file',
            content: { 'text/csv': { schema: z.unknown() }, 'application/vnd.apache.parquet': { schema: z.unknown() } },
          },
          ...notThere,
        },
      },
    },
    async (request, reply) => {
      const { fmt } = request.query;
      if (fmt !== 'csv' && fmt !== 'parquet') throw refusals.exportFormatUnknown();
      const view = await viewOf(services, request.params, request.query);
      if (!view) throw refusals.notExportable();
      const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-export-'));
      try {
        const target = path.join(folder, `view.${fmt}`);
        if (!(await exportTable(services.dataEngine(), view, fmt, target))) throw refusals.notExportable();
        const file = await fs.open(target);
        // Unlinked while open: the bytes stay until the last of them is sent, whatever becomes of the client.
        reply.header('content-disposition', attachment(`${request.params.cell_id}.${fmt}`));
        reply.type(fmt === 'csv' ? 'text/csv; charset=utf-8' : 'application/vnd.apache.parquet');
        return reply.send(file.createReadStream());
      } finally {
        await fs.rm(folder, { recursive: true, force: true });
      }
    },
  );
}

/** Undefined for a value that is no table, whatever its bytes look like. */
async function viewOf(
  services: Services,
  params: z.infer<typeof cellParams>,
  query: z.infer<typeof viewQuery>,
): Promise<TableView | undefined> {
  const session = sessionOf(services, params.session_id);
  cellOf(session, params.cell_id);
  const address = parseArtifactUri(query.artifact_uri);
  if (!address) throw refusals.artifactUriMalformed(query.artifact_uri);
  if (query.sort_dir !== 'asc' && query.sort_dir !== 'desc') throw refusals.sortDirUnknown();
  const file = session.live.blobPath(address);
  const artifact = await session.live.artifact(address);
  if (!artifact) throw refusals.artifactNotFound();
  const filters = filtersOf(query.filters);
  if (contentTypeOf(artifact) !== 'arrow/ipc') return undefined;
  return {
    file,
    filters,
    search: query.search,
    sortBy: query.sort_by,
    sortDir: query.sort_dir,
  };
}

function filtersOf(text: string | null): readonly TableFilter[] {
  if (text === null || text === '') return [];
  const parsed = filterList.safeParse(parse(text));
  if (!parsed.success) throw refusals.filtersNotAList();
  return parsed.data;
}

/** An integer that no JavaScript number holds stays text, which a column reads to its last digit. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_key, value, { source }) =>
      Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value,
    );
  } catch {
    throw refusals.filtersNotJson();
  }
}
