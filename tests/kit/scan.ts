// Scans as a client makes them: ask, follow the stream, read the rows.
import { tableFromIPC } from '@uwdata/flechette';
import type { z } from 'zod';
import { materializeBody } from '../../src/protocol/index.ts';
import type { Answer } from './rest.ts';
import type { TestServer } from './server.ts';

export interface ScanOptions {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly mode?: string;
  readonly name?: string;
  readonly refresh?: boolean;
  readonly headers?: Readonly<Record<string, string>>;
}

export const order = (server: TestServer, uri: string, { params = {}, headers = {}, ...rest }: ScanOptions = {}) =>
  server.rest.post('/v1/materialize', {
    json: { inputs: [uri], transform: { executor: 'scan@v1', params }, ...rest },
    headers,
  });

export async function ordered(server: TestServer, uri: string, options: ScanOptions = {}) {
  const answer = await order(server, uri, options);
  if (answer.status !== 200) throw new Error(`materialize answered ${answer.status}: ${answer.text}`);
  return materializeBody.parse(answer.json);
}

export interface Rows {
  readonly status: number;
  readonly rowCount: string | null;
  readonly uri: string | null;
  readonly rows: readonly unknown[];
  readonly schema: string;
  readonly text: string;
}

/** What lies at a stream's or an artifact's address. */
export async function rowsAt(
  server: TestServer,
  url: string | null,
  headers: Readonly<Record<string, string>> = {},
): Promise<Rows> {
  const response = await fetch(`${server.address}${url}`, { headers, redirect: 'manual' });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const facts = {
    status: response.status,
    rowCount: response.headers.get('x-arrow-row-count'),
    uri: response.headers.get('x-svc-artifact-uri'),
  };
  if (response.status !== 200) return { ...facts, rows: [], schema: '', text: Buffer.from(bytes).toString() };
  const table = tableFromIPC(bytes, { useBigInt: true, useDecimalInt: true });
  return {
    ...facts,
    rows: table.toArray().map((row: object) => ({ ...row })),
    schema: table.schema.fields.map(({ name }) => name).join(', '),
    text: '',
  };
}

/** The rows of a scan, streamed or found. */
export async function scan(server: TestServer, uri: string, options: ScanOptions = {}): Promise<Rows> {
  const { stream_url } = await ordered(server, uri, options);
  return rowsAt(server, stream_url, options.headers);
}

/** Builds the result and waits until it is stored; gives its address. */
export async function built(server: TestServer, uri: string, options: ScanOptions = {}): Promise<string> {
  return stored(server, await ordered(server, uri, { ...options, mode: 'artifact' }), options.headers);
}

/** The same for any transform. */
export async function builtFrom(server: TestServer, json: object): Promise<string> {
  const answer = await server.rest.post('/v1/materialize', { json });
  if (answer.status !== 200) throw new Error(`materialize answered ${answer.status}: ${answer.text}`);
  return stored(server, materializeBody.parse(answer.json));
}

async function stored(
  server: TestServer,
  { hit, build_id, artifact_uri }: z.infer<typeof materializeBody>,
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  for (let state = hit ? 'ready' : 'pending'; state !== 'ready'; ) {
    const { json } = await server.rest.get(`/v1/artifacts/builds/${build_id}`, { headers });
    state = String(Object(json).state);
    if (state === 'failed') throw new Error(`The build failed: ${Object(json).error_message}`);
  }
  return String(artifact_uri);
}

export const detailOf = ({ status, json }: Answer): [number, unknown] => [status, Object(json).detail];
