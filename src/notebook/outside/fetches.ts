// `@fetch`: the bytes at an address as a recorded input. What was fetched is kept and asked about again before a run; a
// download that broke off goes on where it stopped.
import { existsSync, statSync } from 'node:fs';
import fs from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  type NetworkPolicy,
  namedUrl,
  openUrl,
  type UrlAnswer,
  UrlRefused,
  UrlUnreachable,
} from '../../fetch/index.ts';
import { digestOfFile, intoFile, readOwnFile } from '../../files/index.ts';
import type { FetchAnnotation } from '../annotations/index.ts';
import { CellRefused } from '../languages/index.ts';
import { type FetchCache, type FetchEntry, safeName } from './fetchCache.ts';
import type { Found, OutsideReader } from './outside.ts';

export interface FetchParts {
  readonly cache: FetchCache;
  readonly policy: NetworkPolicy;
  readonly now?: () => number;
  readonly maxBytes?: number;
}

const timeoutSeconds = 60;
const redirects = 5;
/** A look that nobody waits for does not ask again so soon. */
const freshSeconds = 60;

export function fetchReader(parts: FetchParts): OutsideReader {
  const { cache, policy, now = () => Date.now() / 1000, maxBytes = 2 * 1024 ** 3 } = parts;

  /** Addresses that are being asked: two names for one of them are one download. */
  const asking = new Map<string, Promise<FetchEntry>>();

  function entryFor(fetch: FetchAnnotation, signal: AbortSignal): Promise<FetchEntry> {
    const begun = asking.get(fetch.url);
    if (begun) return begun;
    const entry = askFor(fetch, signal).finally(() => asking.delete(fetch.url));
    asking.set(fetch.url, entry);
    return entry;
  }

  async function askFor(fetch: FetchAnnotation, signal: AbortSignal): Promise<FetchEntry> {
    const known = await cache.of(fetch.url);
    const isPinned = fetch.sha256 !== null && known?.sha256 === fetch.sha256;
    if (known && (isPinned || fetch.refetch === 'never')) return known;
    const answer = await ask(fetch, fetch.refetch === 'always' ? undefined : known, signal);
    if (answer.status === 304 && known) {
      answer.body.destroy();
      const checked = { ...known, checked_at: now() };
      await cache.note(fetch.url, checked);
      return checked;
    }
    return download(fetch, answer);
  }

  async function ask(fetch: FetchAnnotation, known: FetchEntry | undefined, signal: AbortSignal): Promise<UrlAnswer> {
    const part = await cache.partFor(fetch.url);
    const begun = existsSync(part) ? (await fs.stat(part)).size : 0;
    const etag = begun > 0 ? String(await readOwnFile(`${part}.etag`).catch(() => '')) : '';
    const headers: Record<string, string> = {
      ...conditions(known),
      ...(etag === '' ? {} : { range: `bytes=${begun}-`, 'if-range': etag }),
    };
    const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutSeconds * 1000)]);
    const answer = await openUrl(fetch.url, { headers, policy, signal: limit, redirects });
    // Only who said what is known may be told that it is still so.
    if ((answer.status === 304 && known) || (answer.status >= 200 && answer.status < 300)) return answer;
    answer.body.destroy();
    throw refused(fetch, `${namedUrl(fetch.url)} answered HTTP ${answer.status}`);
  }

  /** What lies at the address and how large it is, as far as its server says so without sending it. */
  async function weighed(fetch: FetchAnnotation, signal: AbortSignal): Promise<Found> {
    const { name, url, sha256: pin, refetch } = fetch;
    const known = await cache.of(url);
    if (known && (refetch === 'never' || (pin !== null && known.sha256 === pin))) return foundAs(fetch, known);
    const headers = refetch === 'always' ? {} : conditions(known);
    const { status, headers: told, body } = await openUrl(url, { method: 'HEAD', headers, policy, signal, redirects });
    body.destroy();
    if (status === 304 && known) return foundAs(fetch, known);
    const length = status >= 200 && status < 300 ? Number(told['content-length'] ?? Number.NaN) : Number.NaN;
    const bytes = Number.isSafeInteger(length) ? length : null;
    return {
      name,
      fingerprint: `${name}:fetch:${url}:${told.etag ?? told['last-modified'] ?? length}`,
      far: { kind: 'fetch', name, uri: namedUrl(url), credential: null, bytes, cached_bytes: 0 },
    };
  }

  async function download(fetch: FetchAnnotation, answer: UrlAnswer): Promise<FetchEntry> {
    const part = await cache.partFor(fetch.url);
    await receive(fetch, answer, part, maxBytes);
    const { headers } = answer;
    const sha256 = await digestOfFile(part);
    const filename = safeName(fetch.url);
    await cache.adopt(part, sha256, filename);
    await fs.rm(`${part}.etag`, { force: true });
    const at = now();
    const entry = {
      sha256,
      filename,
      checked_at: at,
      fetched_at: at,
      etag: headers.etag ?? null,
      last_modified: headers['last-modified'] ?? null,
    };
    await cache.note(fetch.url, entry);
    return entry;
  }

  async function find(fetch: FetchAnnotation, signal: AbortSignal): Promise<Found> {
    try {
      return foundAs(fetch, await entryFor(fetch, signal));
    } catch (error) {
      if (error instanceof CellRefused || signal.aborted) throw error;
      if (error instanceof UrlRefused || error instanceof UrlUnreachable) throw refused(fetch, error.message);
      if (error instanceof Error && error.name === 'TimeoutError')
        throw refused(fetch, `${namedUrl(fetch.url)} took longer than ${timeoutSeconds} seconds`);
      throw refused(
        fetch,
        `${namedUrl(fetch.url)} could not be read: ${error instanceof Error ? error.message : String(error)}`,
      );
    }
  }

  function foundAs({ name, url, sha256: pin }: FetchAnnotation, entry: FetchEntry): Found {
    if (pin !== null && entry.sha256 !== pin) {
      const text = `@fetch ${name}: ${namedUrl(url)} gave bytes with the digest ${entry.sha256}, and the cell pins ${pin}`;
      throw new CellRefused('FetchPinMismatch', text, 'fetch_pin_mismatch');
    }
    return {
      name,
      fingerprint: `${name}:fetch:${url}:${entry.sha256}`,
      input: { contentType: 'file/path', file: cache.fileOf(entry) },
      far: { kind: 'fetch', name, uri: namedUrl(url), credential: null, ...sizes(cache.fileOf(entry)) },
      lineage: { [namedUrl(url)]: `sha256:${entry.sha256}` },
    };
  }

  /** Without asking: only what was checked a moment ago, or never needs to be. */
  async function known(fetch: FetchAnnotation): Promise<Found | undefined> {
    const entry = await cache.of(fetch.url);
    if (!entry || (fetch.sha256 !== null && entry.sha256 !== fetch.sha256)) return undefined;
    const isSettled = fetch.sha256 !== null || fetch.refetch === 'never';
    return isSettled || now() - entry.checked_at < freshSeconds ? foundAs(fetch, entry) : undefined;
  }

  return {
    asks: ({ annotations: { fetches } }) => (fetches.length === 0 ? null : JSON.stringify(fetches)),
    async look({ annotations: { fetches } }, { signal, mayAsk }) {
      const found = await Promise.all(fetches.map((fetch) => (mayAsk ? find(fetch, signal) : known(fetch))));
      const complete = found.filter((one) => one !== undefined);
      return complete.length === found.length ? complete : undefined;
    },
    weigh: ({ annotations: { fetches } }, signal) => Promise.all(fetches.map((fetch) => weighed(fetch, signal))),
  };
}

/** Writes what comes to a file; what came of it before is gone on with. */
async function receive(
  fetch: FetchAnnotation,
  { status, headers, body }: UrlAnswer,
  part: string,
  maxBytes: number,
): Promise<void> {
  const goesOn = status === 206 && headers['content-range']?.startsWith(`bytes ${await sizeOf(part)}-`);
  if (status === 206 && !goesOn) {
    body.destroy();
    await fs.rm(part, { force: true });
    throw refused(fetch, `${namedUrl(fetch.url)} sent a part that was not asked for`);
  }
  // Whoever comes back after a broken connection may go on only with the very same bytes.
  const { etag } = headers;
  if (etag !== undefined && !etag.startsWith('W/')) await fs.writeFile(`${part}.etag`, etag);
  else await fs.rm(`${part}.etag`, { force: true });
  let total = goesOn ? await sizeOf(part) : 0;
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      total += chunk.length;
      if (total > maxBytes) done(refused(fetch, `${namedUrl(fetch.url)} holds more than ${maxBytes} bytes`));
      else done(null, chunk);
    },
  });
  await pipeline(body, counted, intoFile(part, { flags: goesOn ? 'a' : 'w' }));
}

const refused = ({ name }: FetchAnnotation, reason: string): CellRefused =>
  new CellRefused('FetchFailed', `@fetch ${name}: ${reason}`);

/** Asks only for what is another than the one that is known. */
const conditions = (known: FetchEntry | undefined): Record<string, string> => ({
  ...(known?.etag ? { 'if-none-match': known.etag } : {}),
  ...(known?.last_modified ? { 'if-modified-since': known.last_modified } : {}),
});

/** What was fetched is all here. */
function sizes(file: string): { bytes: number; cached_bytes: number } {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return { bytes, cached_bytes: bytes };
}

const sizeOf = async (file: string): Promise<number> => (await fs.stat(file).catch(() => ({ size: 0 }))).size;
