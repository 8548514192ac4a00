// Cells over REST: list, add, edit, delete, reorder, run and cancel. Everybody with a socket hears of each change.
import { z } from 'zod';
import { reportOf } from '../../../agents/index.ts';
import { refusals } from '../../../errors/index.ts';
import { largeReadText, type OpenSession, weighedCell } from '../../../notebook/index.ts';
import {
  addCellRequest,
  answerBody,
  answerRequest,
  cancelBody,
  cellRecord,
  cellsBody,
  dagRecord,
  detailBody,
  detailObjectBody,
  editCellBody,
  editCellRequest,
  executeBody,
  iterationRecord,
  questionBody,
  reorderCellsRequest,
  variantGroupRecord,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { executionBody } from './execution.ts';
import { authorOf, cellOf, cellParams, sessionOf, sessionParams, tellState } from './shared.ts';

export function cellRoutes(app: App, services: Services): void {
  const { hubs } = services;
  const tags = ['cells'];

  /** Tells everybody with a socket what the notebook looks like now. */
  function tell(session: OpenSession, visitor?: { author: string; cellId: string }): void {
    tellState(services, session);
    if (!visitor) return;
    const hub = hubs.of(session.sessionId);
    hub.presence.visited(visitor.author, visitor.cellId);
    hub.announcePresence();
  }

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
      const { after_cell_id, language, source, author } = request.body;
      const cellId = await session.live.addCell({
        language,
        source,
        afterCellId: after_cell_id,
        author: authorOf(request.caller.principal, author),
      });
      tell(session);
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
      tell(session);
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
      await session.live.editCell(cell_id, request.body.source, { author, force: request.body.force });
      tell(session, { author, cellId: cell_id });
      return { cell: session.live.cellRecord(cell_id), dag: session.live.dag(), cells: session.live.cellRecords() };
    },
  );

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
      tell(session);
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
      tell(session);
      return session.live.cellRecord(cell_id);
    },
  );

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/execute',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Run a cell and wait for it',
        params: cellParams,
        querystring: z.object({
          mode: z.string().default('normal'),
          confirm_reads: z.stringbool().default(false),
          approve_reads: z.stringbool().default(false),
          headless: z
            .stringbool()
            .default(false)
            .describe(
              'As `svc run` does: a cell that nobody reads from stores what it defines, and `report` tells of it',
            ),
          answers: z
            .stringbool()
            .default(false)
            .describe(
              'Whoever runs it answers what the cell asks, by `question` and `answer`; a page that is open can too',
            ),
        }),
        response: { 200: executeBody, 400: detailBody, 404: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const { mode, confirm_reads: confirm, approve_reads: approve, headless, answers } = request.query;
      if (mode !== 'normal' && mode !== 'rerun' && mode !== 'force') throw refusals.unknownRunMode(mode);
      const session = sessionOf(services, request.params.session_id);
      const { live } = session;
      live.assertMayRun(null);
      await live.catchUp([request.params.cell_id]);
      const cellId = cellOf(session, request.params.cell_id);
      const weighed = weighedCell(live.runner, cellId, mode);
      const large = await live.reads.unconfirmed(weighed, { confirm, approve }, request.signal);
      if (large) throw refusals.largeRead(largeReadText(large), large.cells);
      const outcome = await live.runner.run(cellId, mode, { storesLeaves: headless, isAnswered: answers });
      const body = executionBody(outcome);
      return headless ? { ...body, report: await reportOf(live, outcome) } : body;
    },
  );

  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/question',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What a running cell asks whoever watches',
        params: cellParams,
        querystring: z.object({
          wait_seconds: z.coerce
            .number()
            .min(0)
            .max(10)
            .default(0)
            .describe('How long to wait for a question where none stands'),
        }),
        response: { 200: questionBody, 404: detailBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      const patience = AbortSignal.timeout(Math.round(request.query.wait_seconds * 1000));
      const question = await session.live.questions.next(cellId, AbortSignal.any([patience, request.signal]));
      return { cell_id: cellId, question: question ?? null };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/answer',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'Answer what a cell asks; null cancels its question',
        params: cellParams,
        body: answerRequest,
        response: { 200: answerBody, 404: detailBody, 409: detailObjectBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      const { question_id, text } = request.body;
      if (!session.live.questions.answer(cellId, question_id, text)) throw refusals.questionOver();
      return { cell_id: cellId, answered: true as const };
    },
  );

  app.get(
    '/v1/notebooks/:session_id/cells/:cell_id/iterations',
    {
      config: needs('notebook:read'),
      schema: {
        tags,
        summary: 'What each step of a loop carried',
        params: cellParams,
        querystring: z.object({ variable: z.string().nullable().default(null) }),
        response: {
          200: z.object({ cell_id: z.string(), variable: z.string().nullable(), iterations: z.array(iterationRecord) }),
          404: detailBody,
        },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      const { variable, records } = await session.live.iterations(cellId, request.query.variable);
      return { cell_id: cellId, variable, iterations: records };
    },
  );

  app.post(
    '/v1/notebooks/:session_id/cells/:cell_id/cancel',
    {
      config: needs('notebook:execute'),
      schema: {
        tags,
        summary: 'End the run of a cell',
        params: cellParams,
        response: { 200: cancelBody, 404: detailBody },
      },
    },
    async (request) => {
      const session = sessionOf(services, request.params.session_id);
      const cellId = cellOf(session, request.params.cell_id);
      const cancelled = session.live.cancel(cellId);
      if (cancelled) await session.live.runner.stop();
      return { cell_id: cellId, cancelled, status: session.live.cellRecord(cellId).status };
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
}
