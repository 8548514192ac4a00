// Reading tables into the cache ahead of use: waiting for it, or as a job.
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import { type Caller, holds } from '../../../identity/index.ts';
import {
  detailBody,
  queryBool,
  warmAsyncRequest,
  warmBody,
  warmCancelledBody,
  warmJobBody,
  warmJobsBody,
  warmRequest,
  warmStartedBody,
} from '../../../protocol/index.ts';
import type { TableAddress } from '../../../tableAddress.ts';
import type { WarmJob } from '../../../tables/index.ts';
import { anyCaller } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { checkTable } from './access.ts';

const tags = ['cache'];
const jobParams = z.object({ job_id: z.string() });

export function warmingRoutes(app: App, services: Services): void {
  const { tables } = services;
  const refused = { 400: detailBody, 403: detailBody, 404: detailBody };

  function checkTables(caller: Caller, uris: readonly string[]): TableAddress[] {
    return uris.map((uri) => {
      const address = checkTable(services, caller, uri);
      tables.planner.checkStore(address);
      return address;
    });
  }

  app.post(
    '/v1/cache/warm',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'Read tables into the cache and wait',
        body: warmRequest,
        response: { 200: warmBody, ...refused },
      },
    },
    async ({ body, caller, tenant }) => {
      const checked = checkTables(caller, body.tables);
      const began = performance.now();
      const done = await tables.warming.run({ ...orderOf(body, tenant), tables: checked, snapshotId: null });
      return {
        tables_warmed: done.tablesCompleted,
        row_groups_cached: done.rowGroupsCached,
        row_groups_skipped: done.rowGroupsSkipped,
        bytes_written: done.bytesWritten,
        elapsed_ms: performance.now() - began,
        errors: done.errors,
      };
    },
  );

  app.post(
    '/v1/cache/warm/async',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'Read tables into the cache as a job',
        body: warmAsyncRequest,
        response: { 200: warmStartedBody, ...refused },
      },
    },
    async ({ body, caller, tenant }) => {
      const checked = checkTables(caller, body.tables);
      const snapshotId = body.snapshot_id === null ? null : String(body.snapshot_id);
      const job = tables.warming.start({ ...orderOf(body, tenant), tables: checked, snapshotId });
      const count = body.tables.length;
      return {
        job_id: job.id,
        status: 'pending' as const,
        tables_count: count,
        message: `Warming job started with ${count} tables`,
      };
    },
  );

  const visible = (caller: Caller, tenant: string): WarmJob[] =>
    tables.warming.jobs().filter((job) => job.tenant === tenant || holds(caller, 'admin:*'));

  app.get(
    '/v1/cache/warm/jobs',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'Warming jobs',
        querystring: z.object({ include_completed: queryBool().default(false) }),
        response: { 200: warmJobsBody },
      },
    },
    async ({ query, caller, tenant }) => ({
      jobs: visible(caller, tenant)
        .filter(({ completedAt }) => query.include_completed || completedAt === null)
        .map(described),
    }),
  );

  app.get(
    '/v1/cache/warm/jobs/:job_id',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'How a warming job is doing',
        params: jobParams,
        response: { 200: warmJobBody, 404: detailBody },
      },
    },
    async ({ params, caller, tenant }) => {
      const job = visible(caller, tenant).find(({ id }) => id === params.job_id);
      if (!job) throw refusals.warmJobNotFound();
      return described(job);
    },
  );

  app.delete(
    '/v1/cache/warm/jobs/:job_id',
    {
      config: anyCaller(),
      schema: {
        tags,
        summary: 'Stop a warming job; what was read stays',
        params: jobParams,
        response: { 200: warmCancelledBody, 404: detailBody },
      },
    },
    async ({ params: { job_id: id }, caller, tenant }) => {
      const known = visible(caller, tenant).some((job) => job.id === id);
      if (!known || !tables.warming.cancel(id)) throw refusals.warmJobOver();
      return { cancelled: true as const, message: `Job ${id} cancelled` };
    },
  );
}

const orderOf = ({ columns, max_row_groups, concurrent }: z.infer<typeof warmRequest>, tenant: string) => ({
  columns: columns ?? [],
  maxRowGroups: max_row_groups,
  concurrent,
  tenant,
});

function described({ id, tables, status, progress, startedAt, completedAt }: WarmJob): z.infer<typeof warmJobBody> {
  return {
    job_id: id,
    status,
    tables_total: tables,
    tables_completed: progress.tablesCompleted,
    row_groups_total: progress.rowGroupsTotal,
    row_groups_completed: progress.rowGroupsCompleted,
    row_groups_cached: progress.rowGroupsCached,
    row_groups_skipped: progress.rowGroupsSkipped,
    bytes_written: progress.bytesWritten,
    started_at: startedAt,
    completed_at: completedAt,
    elapsed_ms: startedAt === null ? 0 : Math.max(0, (completedAt ?? Date.now() / 1000) - startedAt) * 1000,
    current_table: progress.currentTable,
    errors: [...progress.errors],
  };
}
