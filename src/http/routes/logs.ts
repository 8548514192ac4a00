// The newest log records, and a tail of what follows.
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { z } from 'zod';
import { refusals } from '../../errors/index.ts';
import { LogPatternError } from '../../observability/index.ts';
import { detailBody, logsBody, queryInt } from '../../protocol/index.ts';
import { needs } from '../access.ts';
import type { App, Services } from '../services.ts';

const filter = z.object({
  since: queryInt({ min: 0 }).default(0),
  level: z.string().optional(),
  notebook: z.string().optional(),
  regex: z.string().optional(),
});

const eventStream = 'text/event-stream';

/** A silent stream is kept open through proxies that cut idle ones. */
const heartbeatMilliseconds = 15_000;

export function logRoutes(app: App, { ring, lifecycle }: Services): void {
  app.get(
    '/v1/logs',
    {
      config: needs('admin:*'),
      schema: {
        tags: ['operations'],
        summary: 'Newest matching log records, oldest first; pass `cursor` back as `since`',
        querystring: filter.extend({ limit: queryInt({ min: 1, max: 1000 }).default(200) }),
        response: { 200: logsBody, 400: detailBody },
      },
    },
    async (request) => withPattern(() => ring.query(request.query)),
  );

  app.get(
    '/v1/logs/stream',
    {
      config: needs('admin:*'),
      schema: {
        tags: ['operations'],
        summary: 'Server-sent events: matching records after `since`, then every new one',
        querystring: filter,
        response: {
          200: {
            description: 'One `data:` line of JSON per record',
            content: { [eventStream]: { schema: z.string() } },
          },
          400: detailBody,
        },
      },
    },
    async (request, reply) => {
      // Only the headers were asked for, and the stream behind them has no end.
      if (request.method === 'HEAD') return reply.header('cache-control', 'no-store').type(eventStream).send('');
      const gone = new AbortController();
      request.raw.on('close', () => gone.abort());
      const over = AbortSignal.any([gone.signal, lifecycle.draining]);
      const entries = withPattern(() => ring.subscribe(request.query, over));
      reply.hijack();
      const { raw } = reply;
      raw.writeHead(200, {
        ...headersOf(reply.getHeaders()),
        'content-type': eventStream,
        'cache-control': 'no-store',
      });
      raw.flushHeaders();
      const heartbeat = setInterval(() => raw.write(': still here\n\n'), heartbeatMilliseconds);
      try {
        for await (const entry of entries) {
          if (!raw.write(`data: ${JSON.stringify(entry)}\n\n`)) await drained(raw, over);
        }
      } finally {
        clearInterval(heartbeat);
        // A reader that has stopped reading would hold back the end of the server, too.
        if (raw.writableNeedDrain) raw.destroy();
        else raw.end();
      }
    },
  );
}

function withPattern<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw error instanceof LogPatternError ? refusals.invalidRegex(error.message) : error;
  }
}

function headersOf(
  headers: Record<string, number | string | string[] | undefined>,
): Record<string, number | string | string[]> {
  const set: Record<string, number | string | string[]> = {};
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) set[name] = value;
  return set;
}

/** A reader that has stopped reading holds only its own stream back. */
async function drained(stream: Writable, over: AbortSignal): Promise<void> {
  await once(stream, 'drain', { signal: over }).catch(() => {});
}
