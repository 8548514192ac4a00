// The routes of a worker behind its front. Each reads its request, asks the rooms behind it, and answers as the protocol
// says.
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Log } from '../observability/index.ts';
import type { Executing } from './executing.ts';
import { type PlainAnswer, withHeartbeat } from './heartbeat.ts';
import { answerJob, jobHeader, plainJobId } from './jobs.ts';
import { createKeptJobs, type EndedWork, type JobWork } from './keptJobs.ts';
import { answerOf, createProtocolApp, hungUp, jsonBody, piecesOf } from './protocolApp.ts';
import { cellProtocol, executorProtocol } from './protocolNames.ts';
import type { PushForm } from './pushRequest.ts';
import { invalid, WorkerRefused } from './refused.ts';

export interface AppParts {
  readonly executing: Executing;
  readonly token: string | null;
  readonly heartbeatSeconds: number | null;
  readonly log: Log;
}

export function createWorkerApp({ executing, token, heartbeatSeconds, log }: AppParts): FastifyInstance {
  const app = createProtocolApp({ token, log });
  const jobs = createKeptJobs(log);

  /** Undefined where the caller waits for the cell itself. */
  async function asJob(
    request: FastifyRequest,
    reply: FastifyReply,
    work: (job: JobWork) => Promise<EndedWork>,
  ): Promise<FastifyReply | undefined> {
    const id = request.headers[jobHeader];
    if (id === undefined) return undefined;
    if (typeof id !== 'string' || !plainJobId.test(id)) throw invalid(`The header ${jobHeader} is no plain name.`);
    await jobs.begin(id, work);
    return reply.code(202).send({ job_url: `/v1/jobs/${id}` });
  }

  const push = (form: PushForm) => async (request: FastifyRequest, reply: FastifyReply) => {
    const contentType = request.headers['content-type'] ?? '';
    const job = await asJob(request, reply, async (watcher) => {
      const { file, size, drop } = await executing.push(piecesOf(request), { contentType, form, ...watcher });
      return { ending: { kind: 'bundle', file, size }, drop };
    });
    if (job) return job;
    const pushed = await executing.push(piecesOf(request), {
      contentType,
      form,
      // Nobody else can get this answer: a caller that hangs up has cancelled.
      signal: hungUp(reply),
    });
    reply.raw.once('close', () => void pushed.drop());
    return reply
      .type('application/x-tar')
      .header('content-length', pushed.size)
      .header('x-svc-executor-protocol', executorProtocol)
      .header('x-svc-notebook-executor-protocol', cellProtocol)
      .send(createReadStream(pushed.file));
  };

  app.post('/v1/execute', push('transform'));
  app.post('/v1/notebook-execute', push('flat'));
  app.post('/v1/execute-manifest', async (request, reply) => {
    const manifest = await jsonBody(request);
    const job = await asJob(request, reply, async ({ signal, onTaken, onBegin }) => {
      const result = await executing.pull(manifest, { stop: signal, onTaken, onBegin });
      return { ending: { kind: 'result', result }, drop: async () => {} };
    });
    return job ?? executing.pull(manifest, { caller: hungUp(reply) });
  });
  app.post('/execute', async (request, reply) => {
    const work = jsonBody(request).then((body) => executing.pull(body, { caller: hungUp(reply) }));
    if (heartbeatSeconds === null) return work;
    const plain: Promise<PlainAnswer> = work.then(
      (body) => ({ status: 200, body }),
      (error: unknown) => answerOf(error, log),
    );
    const answer = await withHeartbeat(plain, heartbeatSeconds);
    if ('status' in answer) return reply.code(answer.status).send(answer.body);
    return reply.type('application/json').header('x-svc-status-in-body', '1').send(Readable.from(answer));
  });
  app.post<{ Params: { build_id: string } }>('/v1/executions/:build_id/cancel', ({ params: { build_id } }) => ({
    build_id,
    cancelled: executing.cancel(build_id),
  }));
  app.get<{ Params: { id: string } }>('/v1/jobs/:id', (request, reply) => {
    const job = jobs.find(request.params.id);
    if (!job) throw noSuchJob();
    return answerJob(job, request, reply, hungUp(reply));
  });
  app.delete<{ Params: { id: string } }>('/v1/jobs/:id', async (request, reply) => {
    if (!(await jobs.drop(request.params.id))) throw noSuchJob();
    return reply.code(204).send();
  });
  return app;
}

const noSuchJob = (): WorkerRefused => new WorkerRefused(404, { detail: 'There is no job of this name here.' });
