// Another server whose store a team shares. Everything goes over its public routes; what it refuses, or that it cannot be
// reached, is told with its reason and never breaks work that needs only this server.
import { openAsBlob } from 'node:fs';
import { z } from 'zod';
import { hiding, refusals } from '../../errors/index.ts';
import type { ArtifactAddress, ArtifactVersion } from '../types.ts';

export interface TeamAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface TeamRequest extends Pick<RequestInit, 'method' | 'body'> {
  /** How long the answer may take. */
  readonly milliseconds: number;
  readonly signal?: AbortSignal;
}

export interface TeamStore {
  readonly url: string;
  /** One request with whatever answer comes; rejects with the reason where none does. */
  send(path: string, request: TeamRequest, principal: string | null): Promise<Response>;
  /** What an answer says. A store that repeats what it was sent does not tell it here. */
  textOf(response: Response): Promise<string>;
  /** One request as it came, with its answer as it is. */
  relay(method: string, path: string, json: unknown, principal: string | null): Promise<TeamAnswer>;
  /** Like `relay`, for answers that must be good ones; anything else is refused with the store's own words. */
  ask(method: string, path: string, json: unknown, principal: string | null): Promise<TeamAnswer>;
  /** Copies one version with its bytes; where it landed, and whether it was new there. */
  copy(
    version: ArtifactVersion,
    file: string,
    principal: string | null,
  ): Promise<ArtifactAddress & { written: boolean }>;
}

export interface TeamStoreOptions {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The header that carries the caller's name instead of the configured one; null sends only what is configured. */
  readonly principalHeader: string | null;
  /** What the store is told of the trace that a request belongs to; left out where nothing is traced. */
  readonly traceHeaders?: () => Readonly<Record<string, string>>;
}

const patienceMilliseconds = 20_000;
const copyMilliseconds = 3_600_000;

const landed = z.object({ id: z.string(), version: z.int(), written: z.boolean() });

export function createTeamStore({
  url,
  headers,
  principalHeader,
  traceHeaders = () => ({}),
}: TeamStoreOptions): TeamStore {
  const base = url.replace(/\/+$/, '');
  const hide = hiding(
    Object.entries(headers).flatMap(([name, value]) => (isOpen(name) ? [] : [value, lastWord(value)])),
  );

  function headersFor(principal: string | null): Headers {
    const sent = new Headers({ ...traceHeaders(), ...headers });
    if (principalHeader !== null && principal !== null) sent.set(principalHeader, principal);
    return sent;
  }

  async function fetched(
    path: string,
    { milliseconds, signal, ...request }: TeamRequest,
    headers: Headers,
  ): Promise<Response> {
    const late = AbortSignal.timeout(milliseconds);
    try {
      return await fetch(`${base}${path}`, {
        ...request,
        headers,
        redirect: 'error',
        signal: signal ? AbortSignal.any([late, signal]) : late,
      });
    } catch (error) {
      throw refusals.teamStoreFailed(base, reasonOf(error));
    }
  }

  async function textOf(response: Response): Promise<string> {
    const text = await response.text().catch((error: unknown) => {
      throw refusals.teamStoreFailed(base, reasonOf(error));
    });
    return hide(text);
  }

  async function answerOf(response: Response): Promise<TeamAnswer> {
    return { status: response.status, body: parsed(await textOf(response)) };
  }

  async function relay(method: string, path: string, json: unknown, principal: string | null): Promise<TeamAnswer> {
    const headers = headersFor(principal);
    const request = { method, milliseconds: patienceMilliseconds };
    if (json === undefined || json === null) return answerOf(await fetched(path, request, headers));
    headers.set('content-type', 'application/json');
    return answerOf(await fetched(path, { ...request, body: JSON.stringify(json) }, headers));
  }

  function good(answer: TeamAnswer): TeamAnswer {
    if (answer.status < 300) return answer;
    throw refusals.teamStoreFailed(base, `${answer.status} ${detailOf(answer.body)}`);
  }

  return {
    url: base,
    textOf,
    send: (path, request, principal) => fetched(path, request, headersFor(principal)),
    relay,
    ask: async (...request) => good(await relay(...request)),
    async copy(version, file, principal) {
      const form = new FormData();
      form.set('metadata', new Blob([JSON.stringify(recordOf(version))]), 'metadata.json');
      form.set('data', await openAsBlob(file), 'data');
      const request = { method: 'POST', body: form, milliseconds: copyMilliseconds };
      const response = await fetched('/v1/artifacts/import?remap=true', request, headersFor(principal));
      return landed.parse(good(await answerOf(response)).body);
    },
  };
}

/** Headers that say who asks, which answers may repeat. */
const isOpen = (name: string): boolean => /^x-(svc-(principal|scopes)|tenant-id)$/i.test(name);

const lastWord = (value: string): string => value.split(' ').at(-1) ?? '';

const recordOf = (version: ArtifactVersion) => ({
  id: version.id,
  version: version.version,
  state: version.state,
  provenance_hash: version.provenanceHash,
  created_at: version.createdAt,
  schema_json: version.schema,
  row_count: version.rowCount,
  byte_size: version.byteSize,
  transform_spec: version.transformSpec,
  input_versions: version.inputVersions,
  principal: version.principal,
  content_sha256: version.contentSha256 || null,
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text, wholeNumbers);
  } catch {
    return { detail: text.slice(0, 500) };
  }
}

/** What does not fit a number of this language stays as it was written: snapshots of tables have 64 bits. */
const wholeNumbers = (_key: string, value: unknown, { source }: { source?: string } = {}): unknown =>
  Number.isInteger(value) && !Number.isSafeInteger(value) && source !== undefined ? JSON.rawJSON(source) : value;

export function detailOf(body: unknown): string {
  const detail = typeof body === 'object' && body !== null && 'detail' in body ? body.detail : body;
  return typeof detail === 'string' ? detail : JSON.stringify(detail);
}

/** A failed connection says why only in its cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message || String(error.cause) : error.message;
}
