// A notebook as something to take along: a bundle, a snapshot with results, a page to read, a file for other programs.
import path from 'node:path';
import { z } from 'zod';
import { browseTable, wholeTable } from '../../../engine/index.ts';
import { refusals } from '../../../errors/index.ts';
import {
  bundleMembers,
  notebookText,
  type OpenSession,
  snapshotMembers,
  type TableBeginning,
  usualOutputBytes,
  zipOf,
} from '../../../notebook/index.ts';
import { detailBody, queryBool } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import { fileContent } from '../../fileContent.ts';
import { attachment } from '../../headers.ts';
import type { App, Services } from '../../services.ts';
import { sessionOf, sessionParams } from './shared.ts';

const formats = ['zip', 'markdown', 'html', 'snapshot', 'ipynb', 'script'] as const;
const includes = ['all', 'selected', 'none'] as const;

/** The content type of each format. */
const types: Readonly<Record<(typeof formats)[number], string>> = {
  zip: 'application/zip',
  snapshot: 'application/zip',
  markdown: 'text/markdown; charset=utf-8',
  html: 'text/html; charset=utf-8',
  ipynb: 'application/x-ipynb+json',
  script: 'text/x-python; charset=utf-8',
};

interface Wanted {
  readonly include: (typeof includes)[number];
  readonly cells: readonly string[];
  readonly appView: boolean;
  readonly comments: boolean;
  readonly inactiveVariants: boolean;
}

interface Exported {
  readonly name: string;
  readonly body: NodeJS.ReadableStream | string;
}

export function exportRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/export',
    {
      config: needs('notebook:read'),
      schema: {
        tags: ['notebooks'],
        summary: 'The notebook as a file: zip, snapshot, markdown, html, ipynb or script',
        params: sessionParams,
        querystring: z.object({
          fmt: z.string().default('zip'),
          include: z.string().default('selected'),
          cells: z.string().default(''),
          include_inactive_variants: queryBool().default(false),
          app_view: queryBool().default(false),
          comments: queryBool().default(false),
        }),
        response: {
          200: {
            description: 'The file, of the type that `fmt` names',
            content: fileContent(...Object.values(types).map((type) => type.replace(/;.*/, ''))),
          },
          400: detailBody,
          404: detailBody,
        },
      },
    },
    async (request, reply) => {
      const session = sessionOf(services, request.params.session_id);
      const { fmt, include, cells, include_inactive_variants, app_view, comments } = request.query;
      const format = formats.find((one) => one === fmt);
      if (!format) throw refusals.notOneOf('fmt', formats);
      const included = includes.find((one) => one === include);
      if (!included) throw refusals.notOneOf('include', includes);
      const selected = cells.split(',').filter((id) => id !== '');
      const unknown = selected.filter((id) => !session.live.session().facts.has(id));
      if (unknown.length > 0) throw refusals.noSuchCells(unknown);
      const wanted = {
        include: included,
        cells: selected,
        appView: app_view,
        inactiveVariants: include_inactive_variants,
        comments,
      };
      const { name, body } = await exported(session, format, wanted, async (file, limit) =>
        browseTable(services.dataEngine(), wholeTable(file), 0, limit),
      );
      return reply.header('content-type', types[format]).header('content-disposition', attachment(name)).send(body);
    },
  );
}

async function exported(
  { live, environment }: OpenSession,
  format: (typeof formats)[number],
  { include, cells: selected, appView, inactiveVariants, comments }: Wanted,
  beginning: TableBeginning,
): Promise<Exported> {
  const { name } = live.notebook();
  const hash = environment.state().lockfile_hash;
  switch (format) {
    case 'zip':
      return { name: `${name}.zip`, body: await zipOf(await bundleMembers(live, hash)) };
    case 'snapshot': {
      const members = await snapshotMembers(live, hash, include, selected);
      return { name: `${name}.snapshot.zip`, body: await zipOf(members) };
    }
    case 'ipynb':
    case 'script':
    case 'markdown':
    case 'html': {
      const page = { appView, inactiveVariants, comments, console: true, maxOutputBytes: usualOutputBytes };
      const isApp = appView && (format === 'markdown' || format === 'html');
      return {
        name: `${path.basename(live.directory)}${isApp ? '-app' : ''}.${endings[format]}`,
        body: await notebookText(live, format, page, beginning),
      };
    }
  }
}

const endings = { ipynb: 'ipynb', script: 'py', markdown: 'md', html: 'html' } as const;
