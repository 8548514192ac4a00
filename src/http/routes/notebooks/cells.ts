// Cells over REST: list, add, edit, reorder, delete. Everybody with a socket hears of each change.
import { z } from 'zod';
import { creditOf, type OpenSession } from '../../../notebook/index.ts';
import {
  addCellRequest,
  cellRecord,
  cellsBody,
  dagRecord,
  detailBody,
  detailObjectBody,
  editCellBody,
  editCellRequest,
  reorderCellsRequest,
  variantGroupRecord,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { authorOf, cellOf, cellParams, sessionOf, sessionParams, tellState } from './shared.ts';

const tags = ['cells'];

export function cellRoutes(app: App, services: Services): void {
  app.get(
    '/v1/notebooks/:session_id/cells',
    {
      config: needs('notebook:read'),
      schema: { tags, summary: 'All cells, in order', params: sessionParams, response: { 200: cellsBody } },
    },
    async (request) => {
      const { live } = sessionOf(services, request.params.session_id);
      return { notebook_id: live.notebook().id, cells: live.cellRecords() };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/cells',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Add a cell',
        params: sessionParams,
        body: addCellRequest,
        response: { 200: cellRecord, 400: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { after_cell_id, language, source, author, assisted_by } = request.body;
      const cellId = await session.live.addCell({
        language,
        source,
        afterCellId: after_cell_id,
        author: creditOf(authorOf(request.caller.principal, author), assisted_by),
      });
      tell(services, session);
      return session.live.cellRecord(cellId);
    },
  );

  app.put(
    '/v1/notebooks/:session_id/cells/reorder',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Put cells into another order',
        params: sessionParams,
        body: reorderCellsRequest,
        response: { 200: cellsBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      await session.live.reorderCells(request.body.cell_ids);
      tell(services, session);
      return { notebook_id: session.live.notebook().id, cells: session.live.cellRecords() };
    },
  );

  app.put(
    '/v1/notebooks/:session_id/cells/:cell_id',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Replace the source of a cell',
        params: cellParams,
        body: editCellRequest,
        response: { 200: editCellBody, 404: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { cell_id } = request.params;
      const author = authorOf(request.caller.principal, request.body.author);
      const { source, base, force, assisted_by } = request.body;
      await session.live.editCell(cell_id, source, { author, base, force, credit: creditOf(author, assisted_by) });
      tell(services, session, { author, cellId: cell_id });
      return { cell: session.live.cellRecord(cell_id), dag: session.live.dag(), cells: session.live.cellRecords() };
    },
  );

  app.get(
    '/v1/notebooks/:session_id/dag',
    {
      config: needs('notebook:read'),
      schema: { tags, summary: 'How cells depend on each other', params: sessionParams, response: { 200: dagRecord } },
    },
    async (request) => sessionOf(services, request.params.session_id).live.dag(),
  );

  deletionRoutes(app, services);
}

function deletionRoutes(app: App, services: Services): void {
  app.delete(
    '/v1/notebooks/:session_id/cells/:cell_id',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Delete a cell',
        params: cellParams,
        response: {
          200: z.object({
            message: z.string(),
            cell_id: z.string(),
            variant_groups: z.array(variantGroupRecord).readonly(),
            cells: z.array(cellRecord),
            dag: dagRecord.extend({ variant_groups: z.array(variantGroupRecord).readonly() }),
            warnings: z.array(z.string()).optional(),
          }),
          404: detailBody,
          409: detailObjectBody,
        },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      const warnings = await session.live.deleteCell(cellId);
      tell(services, session);
      const variant_groups = session.live.shape().variantGroups;
      return {
        message: 'Cell deleted',
        cell_id: cellId,
        variant_groups,
        cells: session.live.cellRecords(),
        dag: { ...session.live.dag(), variant_groups },
        ...(warnings.length > 0 ? { warnings: [...warnings] } : {}),
      };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/restore',
    {
      config: needs('notebook:write'),
      schema: {
        tags,
        summary: 'Take the deletion of a cell back: it returns with its settings and results',
        params: cellParams,
        response: { 200: cellRecord, 404: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const { cell_id } = request.params;
      await session.live.restoreCell(cell_id);
      tell(services, session);
      return session.live.cellRecord(cell_id);
    },
  );
}

/** Tells everybody with a socket what the notebook looks like now. */
function tell(services: Services, session: OpenSession, visitor?: { author: string; cellId: string }): void {
  tellState(services, session);
  if (!visitor) return;
  const hub = services.hubs.of(session.sessionId);
  hub.presence.visited(visitor.author, visitor.cellId);
  hub.announcePresence();
}
