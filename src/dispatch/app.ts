// The routes of the dispatcher: those of a worker. Every cell is a job here: it is answered for as soon as it is kept, and
// asked about from then on.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../observability/index.ts';
import { answerJob, patienceHeader } from '../worker/jobs.ts';
import { createProtocolApp, hungUp, piecesOf } from '../worker/protocolApp.ts';
import { WorkerRefused } from '../worker/refused.ts';
import type { CellRoute } from './cell.ts';
import type { Cells } from './cells.ts';
import type { Resources } from './engine.ts';
import { readOrder } from './orders.ts';
import type { Pool } from './pool.ts';
import type { Spool } from './spool.ts';

export interface DispatchAppParts {
  readonly cells: Cells;
  readonly pool: Pool;
  readonly spool: Spool;
  readonly resources: Resources;
  readonly token: string | null;
  readonly log: Log;
}

/** How long the dispatcher may be away, to be started anew, before servers give their cells up. */
const patienceSeconds = 120;

export function createDispatchApp({ cells, pool, spool, resources, token, log }: DispatchAppParts): FastifyInstance {
  const app = createProtocolApp({ token, log });

  const take = (route: CellRoute) => async (request: FastifyRequest, reply: FastifyReply) => {
    const id = await spool.receive(piecesOf(request));
    const contentType = request.headers['content-type'] ?? '';
    const order = await readOrder(route, contentType, spool.requestOf(id), resources).catch(async (error: unknown) => {
      await spool.drop(id);
      throw error;
    });
    const note = { id, order, receivedAt: Date.now(), worker: null, losses: 0, ending: null };
    pool.add(await cells.take(note));
    return reply
      .code(202)
      .header(patienceHeader, String(patienceSeconds))
      .send({ job_url: `/v1/jobs/${id}` });
  };

  app.post('/v1/execute', take('/v1/execute'));
  app.post('/v1/notebook-execute', take('/v1/notebook-execute'));
  app.post('/v1/execute-manifest', take('/v1/execute-manifest'));
  app.post('/execute', take('/v1/execute-manifest'));

  app.get<{ Params: { id: string } }>('/v1/jobs/:id', async (request, reply) => {
    const cell = cells.find(request.params.id);
    if (!cell) throw new WorkerRefused(404, { detail: 'There is no job of this name here.' });
    cell.askedAt = performance.now();
    const answer = await answerJob(cell.job, request, reply, hungUp(reply));
    cell.askedAt = performance.now();
    return answer;
  });

  app.post<{ Params: { build_id: string } }>(
    '/v1/executions/:build_id/cancel',
    async ({ params: { build_id } }): Promise<object> => {
      const found = cells.withBuild(build_id).filter(({ note }) => !note.ending);
      await Promise.all(found.map((cell) => pool.cancel(cell)));
      return { build_id, cancelled: found.length > 0 };
    },
  );

  app.post('/v1/hints', async (_request, reply) => {
    pool.hint();
    return reply.code(202).send({});
  });
  return app;
}
