// Runs of cells over REST: start, cancel, and what a running cell asks.
import { z } from 'zod';
import { reportOf } from '../../../desk/index.ts';
import { refusals } from '../../../errors/index.ts';
import { largeReadText, weighedCell } from '../../../notebook/index.ts';
import {
  answerBody,
  answerRequest,
  cancelBody,
  detailBody,
  detailObjectBody,
  executeBody,
  iterationRecord,
  questionBody,
} from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { executionBody } from './execution.ts';
import { cellOf, cellParams, sessionOf } from './shared.ts';

const tags = ['cells'];

export function cellRunRoutes(app: App, services: Services): void {
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
      const outcome = await live.runner.run(cellId, mode, {
        stores: headless ? 'leaves' : 'read',
        isAnswered: answers,
      });
      const body = executionBody(outcome);
      return headless ? { ...body, report: await reportOf(live, outcome) } : body;
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

  questionRoutes(app, services);
}

function questionRoutes(app: App, services: Services): void {
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
}
