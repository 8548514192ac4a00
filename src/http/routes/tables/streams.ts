// `GET /v1/streams/{id}`: the rows of a scan as one Arrow stream, sent as they are read.
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { artifactUri } from '../../../artifacts/index.ts';
import { orTrouble, Refusal, refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { detailBody, scanFailedBody, scanRefusedBody } from '../../../protocol/index.ts';
import { ScanRefused, type ScanRun } from '../../../tables/index.ts';
import { anyCaller } from '../../access.ts';
import { fileContent } from '../../fileContent.ts';
import { framePolicy } from '../../plugins/envelope.ts';
import { sendBlob, transferBroke } from '../../sendBlob.ts';
import type { App, Services } from '../../services.ts';
import { beginTransfer, ClientGone } from '../../transfer.ts';
import { isOwn } from './access.ts';

/** Ends an Arrow stream: no more messages. */
const endMarker = Buffer.from('ffffffff00000000', 'hex');
const arrowStream = 'application/vnd.apache.arrow.stream';

export function streamRoutes(app: App, services: Services): void {
  const { tables, owners, settings, log, latency, artifacts } = services;

  app.get(
    '/v1/streams/:stream_id',
    {
      config: anyCaller({ runToken: 'anywhere' }),
      schema: {
        tags: ['core'],
        summary: 'The rows of a scan as an Arrow stream, from the first row group on',
        params: z.object({ stream_id: z.string() }),
        response: {
          200: {
            description: 'An Arrow stream',
            content: fileContent(arrowStream),
          },
          307: z.null().describe('Another node holds the stream; its address is in `Location`'),
          404: detailBody,
          429: scanRefusedBody,
          500: scanFailedBody,
          503: detailBody,
          504: detailBody,
        },
      },
    },
    async (request, reply) => {
      const began = performance.now();
      const id = request.params.stream_id;
      const stream = tables.scans.find(id);
      if (stream?.mode !== 'stream') {
        const owner = await owners.otherOwner(id);
        if (owner === undefined) throw refusals.streamNotFound(id);
        return reply.redirect(`${owner}/v1/streams/${encodeURIComponent(id)}`, 307);
      }
      await owners.claim(id, settings.streamStateTtlSeconds);
      if (!isOwn(stream, request.caller)) throw refusals.streamHidden(id, settings.hideForbiddenAsNotFound);
      reply.type(arrowStream).header('content-security-policy', `sandbox; ${framePolicy(settings)}`);
      try {
        return await send(stream.run, reply, clientOf(request.caller, request.ip), request.tenant, began);
      } catch (error) {
        return answerFailure(reply, orTrouble(error));
      }
    },
  );

  async function send(
    run: ScanRun,
    reply: FastifyReply,
    client: string,
    tenant: string,
    began: number,
  ): Promise<FastifyReply> {
    if (run.state === 'failed') throw run.failure ?? refusals.streamExpired();
    if (run.state === 'ready' && run.version && artifacts) {
      const blob = await artifacts.versions.open(run.version);
      if (!blob) throw refusals.artifactDataNotFound();
      describeRows(reply, run, run.version.rowCount ?? 0);
      return sendBlob(reply, blob, log);
    }
    const { plan } = run;
    const tier = tables.qos.tierOf({ ...plan, columns: plan.request.columns });
    const watched = await run.watch(() => tables.qos.admit({ tenant, client, tier }));
    const gone = (): void => watched.leave();
    reply.raw.once('close', gone);
    try {
      const { rowGroups } = watched;
      const rows = await watched.rowCount();
      // Until here a failure still has a status of its own.
      if (rowGroups.count > 0) await rowGroups.at(0);
      if (reply.raw.destroyed) throw new ClientGone();
      describeRows(reply, run, rows);
      const transfer = beginTransfer(reply);
      await transfer.bytes(plan.schemaMessage);
      latency.record('ttfb', performance.now() - began);
      for (let index = 0; index < rowGroups.count; index++) {
        const { file, bytes } = await rowGroups.at(index);
        await transfer.file(file, plan.schemaMessage.length, bytes - endMarker.length);
      }
      await watched.sent();
      await transfer.bytes(endMarker);
      await transfer.end();
      latency.record('total_request', performance.now() - began);
    } catch (error) {
      if (!reply.sent) throw error;
      transferBroke(reply, error, log);
    } finally {
      watched.leave();
    }
    return reply;
  }
}

function describeRows(reply: FastifyReply, { version }: ScanRun, rows: number): void {
  if (!version) return;
  reply.header('x-arrow-row-count', String(rows)).header('x-svc-artifact-uri', artifactUri(version));
}

/** Places are counted by who asks: the identity, or the address where there is none. */
const clientOf = (caller: Caller, ip: string): string =>
  caller.principal === null ? ip : `principal:${caller.tenant ?? ''}:${caller.principal}`;

function answerFailure(reply: FastifyReply, error: unknown): FastifyReply {
  if (error instanceof ScanRefused) {
    reply.header('retry-after', String(error.retryAfterSeconds));
    return reply.code(429).type('application/json').send({ error: error.error, tier: error.tier });
  }
  if (error instanceof ClientGone) return reply;
  if (error instanceof Refusal && error.kind !== 'unprocessable') {
    reply.type('application/json');
    throw error;
  }
  const detail = error instanceof Error ? withoutPlace(error) : String(error);
  return reply.code(500).type('application/json').send({ error: 'scan_build_failed', detail });
}

/** What the file system says names files of the server, which are nobody else's matter. */
const withoutPlace = (error: Error): string =>
  'syscall' in error && 'code' in error ? `The rows could not be read (${error.code}).` : error.message;
