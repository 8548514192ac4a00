// The bytes of a pulled cell: inputs from their signed addresses, the bundle to its own, and the word that it is there.
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { bundleVersion } from '../bundle/index.ts';
import {
  type NetworkPolicy,
  openUrl,
  shortText,
  shownUrl,
  type UrlAnswer,
  UrlRefused,
  type UrlRequest,
  UrlUnreachable,
} from '../fetch/index.ts';
import { intoFile } from '../files/index.ts';
import type { PulledOutput } from './pullRequest.ts';
import { invalid, tooLarge, upstream, WorkerRefused } from './refused.ts';

export interface Transfer {
  download(url: string, target: string, name: string, signal: AbortSignal): Promise<void>;
  /** Brings the bundle and says so; gives what the finalize route answered. */
  deliver(
    bundle: { readonly file: string; readonly size: number },
    output: PulledOutput,
    finalizeUrl: string,
  ): Promise<unknown>;
}

/** The server knows a failure of this step by these words. */
export const finalizeFailed = 'finalize failed';

const deliveryMilliseconds = 1_800_000;
/** A result may have taken hours: whoever takes it may be started anew meanwhile, or be out of reach for a moment. */
const awayMilliseconds = 60_000;
const firstPauseMilliseconds = 250;
const longestPauseMilliseconds = 5000;
const awayStatuses = [502, 503, 504];

export function createTransfer(policy: NetworkPolicy, maxInputBytes: number): Transfer {
  /** The same again while the way there is broken. `request` is asked for anew: a body can be read once. */
  async function askPatiently(
    what: string,
    url: string,
    request: () => Omit<UrlRequest, 'policy'>,
  ): Promise<UrlAnswer & { readonly isRepeated: boolean }> {
    const until = performance.now() + awayMilliseconds;
    for (let wait = firstPauseMilliseconds, isRepeated = false; ; isRepeated = true) {
      const asked = request();
      const answer = await openUrl(url, { ...asked, policy }).catch((error: unknown) => {
        if (isBroken(error) && !asked.signal.aborted && performance.now() < until) return undefined;
        throw failed(what, error, asked.signal);
      });
      if (answer && (!awayStatuses.includes(answer.status) || performance.now() > until))
        return { ...answer, isRepeated };
      answer?.body.destroy();
      await pause(wait, undefined, { signal: asked.signal });
      wait = Math.min(2 * wait, longestPauseMilliseconds);
    }
  }

  async function ask(what: string, url: string, request: Omit<UrlRequest, 'policy'>): Promise<UrlAnswer> {
    return openUrl(url, { ...request, policy }).catch((error: unknown) => {
      throw failed(what, error, request.signal);
    });
  }

  return {
    async download(url, target, name, signal) {
      const what = `The input ${name} could not be downloaded`;
      const answer = await ask(what, url, { signal });
      if (answer.status !== 200) throw upstream(`${what}: ${await toldBy(answer, url)}`);
      if (Number(answer.headers['content-length'] ?? 0) > maxInputBytes) {
        answer.body.destroy();
        throw tooLarge(`The input ${name}`, maxInputBytes);
      }
      try {
        await pipeline(
          answer.body,
          (pieces: AsyncIterable<Buffer>) => counted(pieces, name, maxInputBytes),
          intoFile(target),
          { signal },
        );
      } catch (error) {
        if (error instanceof WorkerRefused || signal.aborted) throw error;
        throw upstream(`${what}: ${error instanceof Error ? error.message : error}`);
      }
    },

    async deliver(bundle, output, finalizeUrl) {
      const signal = AbortSignal.timeout(deliveryMilliseconds);
      const what = 'The bundle could not be uploaded';
      const uploaded = await askPatiently(what, output.url, () => ({ ...uploadOf(bundle, output), signal }));
      if (![200, 201, 204].includes(uploaded.status)) throw upstream(`${what}: ${await toldBy(uploaded, output.url)}`);
      uploaded.body.resume();
      const finalized = await askPatiently(finalizeFailed, finalizeUrl, () => ({
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ output_format: bundleVersion }),
        signal,
      }));
      // The first time was heard, and its answer was lost on the way. Whether it was taken, the server knows best.
      const isTaken = finalized.isRepeated && finalized.status === 409;
      if (finalized.status !== 200 && !isTaken)
        throw upstream(`${finalizeFailed}: ${await toldBy(finalized, finalizeUrl)}`);
      return jsonOf(await shortText(finalized.body));
    },
  };
}

function failed(what: string, error: unknown, signal: AbortSignal): unknown {
  if (error instanceof UrlRefused) return invalid(`${what}: ${error.message}`);
  if (signal.aborted) return error;
  return upstream(`${what}: ${error instanceof Error ? error.message : error}`);
}

/** A server that is not there any more has nobody left who waits. */
const isBroken = (error: unknown): boolean =>
  error instanceof UrlUnreachable && !/ECONNREFUSED/.test(`${error.message} ${Object(error.cause).code}`);

async function* counted(pieces: AsyncIterable<Buffer>, name: string, limit: number): AsyncGenerator<Buffer> {
  let total = 0;
  for await (const piece of pieces) {
    total += piece.length;
    if (total > limit) throw tooLarge(`The input ${name}`, limit);
    yield piece;
  }
}

function uploadOf(
  { file, size }: { readonly file: string; readonly size: number },
  { method, fields, headers }: PulledOutput,
): Pick<UrlRequest, 'method' | 'headers' | 'body'> {
  if (fields) return formOf(fields, file, size);
  const plain = { 'content-type': 'application/x-tar', 'content-length': String(size) };
  const body = createReadStream(file);
  return method.toUpperCase() === 'PUT'
    ? { method: 'PUT', headers: { ...headers, ...plain }, body }
    : { method: 'POST', headers: plain, body };
}

/** Object stores want every field before the file, and the length of the whole. */
function formOf(fields: Readonly<Record<string, string>>, file: string, size: number) {
  const boundary = `svc-${crypto.randomUUID()}`;
  const head = Object.entries(fields)
    .map(([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`)
    .join('');
  const begin = Buffer.from(
    `${head}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="bundle.tar"\r\nContent-Type: application/x-tar\r\n\r\n`,
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  async function* body(): AsyncGenerator<Uint8Array> {
    yield begin;
    yield* createReadStream(file);
    yield end;
  }
  const length = begin.length + size + end.length;
  return {
    method: 'POST' as const,
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(length) },
    body: body(),
  };
}

/** `403 (the link has expired)`, with what the other side said, shortened. */
async function toldBy(answer: UrlAnswer, url: string): Promise<string> {
  const said = (await shortText(answer.body)).slice(0, 2000);
  const body = jsonOf(said);
  const fields = typeof body === 'object' && body !== null ? body : {};
  const reason = 'detail' in fields ? fields.detail : 'error' in fields ? fields.error : said;
  return `${shownUrl(url)} answered ${answer.status} (${String(reason).slice(0, 500)})`;
}

function jsonOf(said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    return said;
  }
}
