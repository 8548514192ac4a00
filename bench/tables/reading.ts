// Scans as a client makes them, over a raw socket and into one buffer: what a client makes of the bytes is not measured.
import net from 'node:net';
import { type Context, kept } from '../line.ts';
import { svcServer } from '../programs/own.ts';
import { type RunningProgram, startProgram } from '../programs/program.ts';
import { warehouse } from './warehouse.ts';

const settings = {
  SVC_RATE_LIMIT_ENABLED: 'false',
  SVC_MAX_RESPONSE_BYTES: '4000000000',
  SVC_MAX_TASKS_PER_SCAN: '5000',
  SVC_PER_CLIENT_BULK: '0',
};

/** A server whose processes have loaded what they need. */
export const server = kept(startReady);

export async function startReady(context: Context): Promise<RunningProgram> {
  const program = await startProgram(context, svcServer(settings));
  const { stream_url } = await order(context, program, 'wide', { columns: ['c0'] });
  await receive(program, stream_url);
  return program;
}

export async function order(
  context: Context,
  { port }: RunningProgram,
  table: string,
  params: object,
  more: object = {},
) {
  const transform = { executor: 'scan@v1', params };
  const answer = await fetch(`http://127.0.0.1:${port}/v1/materialize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs: [`${await warehouse(context)}#db.${table}`], transform, ...more }),
  });
  if (answer.status !== 200) throw new Error(`materialize answered ${answer.status}: ${await answer.text()}`);
  return Object(await answer.json());
}

export interface Received {
  readonly firstMs: number;
  readonly totalMs: number;
  readonly bytes: number;
}

export function receive({ port }: RunningProgram, place: string): Promise<Received> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let firstMs = 0;
    let bytes = 0;
    const socket = net.connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer: Buffer.alloc(1024 * 1024),
        callback: (count) => {
          firstMs ||= performance.now() - began;
          bytes += count;
          return true;
        },
      },
    });
    socket.on('error', reject);
    socket.on('close', () => resolve({ firstMs, totalMs: performance.now() - began, bytes }));
    socket.write(`GET ${place} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  });
}

export const rate = ({ bytes, totalMs }: Received): number => bytes / 1_000_000 / (totalMs / 1000);

/** Again until nothing is left: what a result is still being made from stays. */
export async function clear({ port }: RunningProgram): Promise<void> {
  const cache = `http://127.0.0.1:${port}/v1/cache`;
  for (let left = 1; left > 0; ) {
    await fetch(`${cache}/clear`, { method: 'POST' });
    left = Object(await (await fetch(`${cache}/stats`)).json()).total_entries;
  }
}

/** Until the result is stored too, which goes on after its last byte was sent. */
export async function isStored({ port }: RunningProgram, artifactUri: string): Promise<void> {
  const [, id, version] = /artifact\/(.+)@v=(\d+)$/.exec(artifactUri) ?? [];
  const place = `http://127.0.0.1:${port}/v1/artifacts/${id}/v/${version}`;
  for (let state = ''; state !== 'ready' && state !== 'superseded'; ) {
    state = String(Object(await (await fetch(place)).json()).state);
    if (state === 'failed') throw new Error(`${artifactUri} could not be stored.`);
  }
}

/** Scans a table of which no row group is cached. */
export async function cold(
  context: Context,
  program: RunningProgram,
  table = 'ten',
  columns?: readonly string[],
): Promise<Received> {
  await clear(program);
  const { stream_url, artifact_uri } = await order(context, program, table, columns ? { columns } : {}, {
    refresh: true,
  });
  const received = await receive(program, stream_url);
  await isStored(program, artifact_uri);
  return received;
}
