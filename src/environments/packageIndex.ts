// What a package index says of one package: its versions, newest first, and how much of a download each is here. Indexes answer
// in JSON (PEP 691, with sizes) or as a page of links.
import type { IncomingMessage } from 'node:http';
import { refusals } from '../errors/index.ts';
import { openUrl, UrlRefused, UrlUnreachable } from '../fetch/index.ts';
import {
  fromJson,
  fromLinks,
  type IndexedVersion,
  type IndexFile,
  type ListedVersion,
  versionsOf,
} from './indexListing.ts';
import { canonicalName } from './requirement.ts';
import { isOffline, type UvIndex, uvIndexes } from './uvIndexes.ts';

export interface IndexedPackage {
  readonly name: string;
  /** The host that was asked. */
  readonly index: string;
  readonly versions: readonly IndexedVersion[];
}

const askMilliseconds = 15_000;
/** The longest listings of well-known packages are a few mebibytes. */
const maxBytes = 32 * 1024 * 1024;
const anywhere = { publicOnly: false, allowedHosts: [] };

/** `python`: the version that the package is wanted for, as `3.13`. */
export async function findPackage(given: string, python: string, env = process.env): Promise<IndexedPackage> {
  if (isOffline(env)) throw refusals.indexOffline();
  const name = canonicalName(given);
  const indexes = await uvIndexes(env);
  for (const index of indexes) {
    const files = await filesOf(index, name);
    if (files === undefined) continue;
    return { name, index: hostOf(index), versions: await withNewestSize(index, versionsOf(name, files, python)) };
  }
  throw refusals.packageNotIndexed(name, indexes.map(hostOf));
}

const hostOf = ({ url }: UvIndex): string => new URL(url).host;

/** Undefined where the index has no such package. */
async function filesOf(index: UvIndex, name: string): Promise<IndexFile[] | undefined> {
  const address = `${index.url}/${name}/`;
  const failed = (reason: string) => refusals.indexUnreachable(hostOf(index), reason);
  try {
    const answer = await openUrl(address, {
      headers: {
        ...index.headers,
        accept: 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1',
      },
      policy: anywhere,
      redirects: 5,
      signal: AbortSignal.timeout(askMilliseconds),
    });
    if (answer.status === 404) {
      answer.body.destroy();
      return undefined;
    }
    if (answer.status !== 200) {
      answer.body.destroy();
      throw failed(`it answers with ${answer.status}`);
    }
    const text = await wholeText(answer.body);
    return answer.headers['content-type']?.includes('json') ? fromJson(text, answer.url) : fromLinks(text, answer.url);
  } catch (error) {
    if (error instanceof UrlUnreachable || error instanceof UrlRefused) throw failed(error.message);
    if (error instanceof Error && error.name === 'TimeoutError')
      throw failed(`no answer within ${askMilliseconds / 1000} seconds`);
    if (error instanceof SyntaxError) throw failed('its answer cannot be read');
    throw error;
  }
}

async function wholeText(body: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of body) {
    const bytes: Buffer = piece;
    size += bytes.length;
    if (size > maxBytes) throw new SyntaxError('too long');
    pieces.push(bytes);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** A page of links does not say how large files are: of the newest the file itself is asked. */
async function withNewestSize(index: UvIndex, listed: readonly ListedVersion[]): Promise<IndexedVersion[]> {
  const versions = listed.map(({ url: _, ...version }) => version);
  const [newest] = listed;
  const [first, ...others] = versions;
  if (!newest || !first || newest.bytes !== null) return versions;
  const headers = new URL(newest.url).origin === new URL(index.url).origin ? index.headers : {};
  const bytes = await sizeOf(newest.url, headers).catch(() => null);
  return [{ ...first, bytes }, ...others];
}

async function sizeOf(url: string, headers: UvIndex['headers']): Promise<number | null> {
  const signal = AbortSignal.timeout(askMilliseconds);
  const {
    status,
    headers: told,
    body,
  } = await openUrl(url, { method: 'HEAD', headers, policy: anywhere, redirects: 5, signal });
  body.destroy();
  const size = Number(told['content-length']);
  return status === 200 && size > 0 ? size : null;
}
