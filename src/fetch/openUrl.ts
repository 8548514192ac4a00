// Asks for what lies at an address that somebody else chose. Where the policy says so, a name is resolved, every address of
// it must be public, and the connection goes to the very address that was checked; each redirect is looked at the same way.
import dns from 'node:dns';
import http, { type ClientRequest, type IncomingMessage } from 'node:http';
import https from 'node:https';
import { connect, isIP, type LookupFunction, type Socket } from 'node:net';
import { type Duplex, PassThrough, Readable } from 'node:stream';
import tls from 'node:tls';
import { hiding, passwordsIn } from '../errors/index.ts';
import { isNamed, isPublicAddress } from './addresses.ts';

export interface NetworkPolicy {
  /** False reaches any address, through the machine's proxy where it names one. */
  readonly publicOnly: boolean;
  /** Hosts that may be reached wherever they lie. */
  readonly allowedHosts: readonly string[];
  /** Where this machine reaches nobody: connects by another one, which looks at the address by a policy of its own. */
  readonly through?: Through | undefined;
}

export type Through = (host: string, port: number, signal: AbortSignal) => Promise<Duplex>;

export interface UrlRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  /** A stream is sent as it comes. */
  readonly body?: string | AsyncIterable<Uint8Array>;
  readonly policy: NetworkPolicy;
  readonly signal: AbortSignal;
  /** 0 takes a redirect as the answer. */
  readonly redirects?: number;
}

export interface UrlAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  /** Destroying it ends the connection. */
  readonly body: IncomingMessage;
  /** Where it came from in the end. */
  readonly url: string;
}

/** The policy does not let this address be asked. */
export class UrlRefused extends Error {
  override name = 'UrlRefused';
}

/** Nobody answered. */
export class UrlUnreachable extends Error {
  override name = 'UrlUnreachable';
}

export async function openUrl(address: string, request: UrlRequest): Promise<UrlAnswer> {
  let url = parsed(address);
  let headers = { ...request.headers };
  for (let left = request.redirects ?? 0; ; left -= 1) {
    const answer = await ask(url, { ...request, headers });
    const target = answer.headers.location;
    const isRedirect = [301, 302, 303, 307, 308].includes(answer.statusCode ?? 0) && target !== undefined;
    if (!isRedirect || (request.redirects ?? 0) === 0)
      return { status: answer.statusCode ?? 0, headers: answer.headers, body: answer, url: url.href };
    answer.destroy();
    if (left === 0)
      throw new UrlRefused(`${shownUrl(url)} redirects too often; at most ${request.redirects} are followed`);
    const next = parsed(new URL(target, url).href);
    // What was meant for one host is not for another.
    if (next.origin !== url.origin) headers = withoutCredentials(headers);
    url = next;
  }
}

function parsed(address: string): URL {
  const url = URL.parse(address);
  if (!url) throw new UrlRefused(`'${address.slice(0, 200)}' is not an address`);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new UrlRefused(`${url.protocol}// addresses are not fetched; use http or https`);
  return url;
}

function ask(url: URL, { method = 'GET', headers, body, policy, signal }: UrlRequest): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isFree = !policy.publicOnly || isNamed(host, policy.allowedHosts);
  if (!isFree && isIP(host) !== 0 && !isPublicAddress(host)) throw refusedAddress(url);
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const secure = url.protocol === 'https:';
  const sent = (secure ? https : http).request(
    url,
    {
      method,
      headers: { 'accept-encoding': 'identity', ...headers },
      signal,
      agent: policy.through ? agentThrough(url, policy.through, signal) : agentFor(secure, policy),
      ...(isFree ? {} : { lookup: publicLookup(url) }),
    },
    resolve,
  );
  sent.on('error', (error) => reject(error instanceof UrlRefused || signal.aborted ? error : unreachable(url, error)));
  if (body === undefined || typeof body === 'string') sent.end(body);
  else sendStream(body, sent);
  return promise;
}

/** A proxy would resolve the name itself: then nothing could be checked, nor would it be the host that was allowed. */
function agentFor(secure: boolean, { publicOnly }: NetworkPolicy): http.Agent {
  const { Agent } = secure ? https : http;
  return publicOnly ? new Agent() : new Agent({ proxyEnv: process.env });
}

function agentThrough(url: URL, through: Through, signal: AbortSignal): http.Agent {
  const secure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const agent = new (secure ? https : http).Agent();
  const connected = async (): Promise<Duplex> => {
    const line = await through(host, Number(url.port) || (secure ? 443 : 80), signal);
    return secure ? tls.connect({ socket: line, ...(isIP(host) === 0 ? { servername: host } : {}) }) : line;
  };
  agent.createConnection = (_options, callback) => {
    connected().then(
      (line) => callback?.(null, line),
      // What is given beside an error is not looked at.
      (error: Error) => callback?.(error, new PassThrough()),
    );
    return undefined;
  };
  return agent;
}

/** A plain connection, by the rules of requests. Throws UrlRefused or UrlUnreachable. */
export function connectTo(host: string, port: number, policy: NetworkPolicy, signal: AbortSignal): Promise<Socket> {
  const url = parsed(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  const isFree = !policy.publicOnly || isNamed(host, policy.allowedHosts);
  const { promise, resolve, reject } = Promise.withResolvers<Socket>();
  if (!isFree && isIP(host) !== 0 && !isPublicAddress(host)) throw refusedAddress(url);
  const socket = connect({ host, port, ...(isFree ? {} : { lookup: publicLookup(url) }) });
  const stop = (): void => void socket.destroy(signal.reason);
  signal.addEventListener('abort', stop, { once: true });
  socket.once('connect', () => {
    signal.removeEventListener('abort', stop);
    resolve(socket);
  });
  socket.once('error', (error) => reject(error instanceof UrlRefused ? error : unreachable(url, error)));
  return promise;
}

/** An answer may come before the end of what is sent: then the rest is not sent, and the answer counts. */
function sendStream(body: AsyncIterable<Uint8Array>, sent: ClientRequest): void {
  const source = Readable.from(body, { objectMode: false });
  source.on('error', (error) => sent.destroy(error));
  sent.on('close', () => source.destroy());
  source.pipe(sent);
}

/** Whether the policy lets the address be asked, by what its name means now; asking looks again. Throws UrlRefused. */
export async function checkUrl(address: string, policy: NetworkPolicy): Promise<void> {
  const url = parsed(address);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!policy.publicOnly || isNamed(host, policy.allowedHosts) || policy.through) return;
  const addresses = await dns.promises.lookup(host, { all: true }).catch(() => []);
  if (addresses.length === 0) throw new UrlRefused(`${url.hostname} is not known to the name service`);
  if (!addresses.every((one) => isPublicAddress(one.address))) throw refusedAddress(url);
}

const publicLookup =
  (url: URL): LookupFunction =>
  (hostname, options, callback) => {
    dns.lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      if (addresses.length === 0 || !addresses.every(({ address }) => isPublicAddress(address)))
        return callback(refusedAddress(url), []);
      callback(null, addresses);
    });
  };

const refusedAddress = (url: URL): UrlRefused =>
  new UrlRefused(`${url.hostname} lies on a private or reserved address, which this server does not fetch from`);

const unreachable = (url: URL, error: Error): UrlUnreachable =>
  new UrlUnreachable(`${shownUrl(url)} could not be reached: ${error.message}`, { cause: error });

/** Without what may be secret in it. */
export function shownUrl(url: URL | string): string {
  const found = typeof url === 'string' ? URL.parse(url) : url;
  if (!found) return 'the address';
  return `${found.origin}${found.pathname}${found.search === '' ? '' : '?…'}`;
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Record<string, string> {
  const kept = Object.entries(headers).filter(([name]) => !/^(authorization|cookie|x-api-key)$/i.test(name));
  return Object.fromEntries(kept);
}

/** The address as it is told apart from others, without passwords and signatures. What has none stays as it was written. */
export const namedUrl = (url: string): string => hiding(passwordsIn(url))(url);
