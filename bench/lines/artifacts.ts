// The artifact store as its users meet it: finding a name, storing 256 MiB and fetching them again. What the disk and the
// digest cost alone is the limit.
import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { type Context, kept, type Line } from '../line.ts';
import { requestsPerSecond } from '../load/load.ts';
import { processTree } from '../processTree.ts';
import { plainNode, svcServer } from '../programs/own.ts';
import { type RunningProgram, startProgram } from '../programs/program.ts';

const megabyte = 1_000_000;
const pieceBytes = 1024 * 1024;
const pieces = 256;
const piece = Buffer.alloc(pieceBytes, 'svc');
const server = kept((context) => startProgram(context, svcServer({ SVC_RATE_LIMIT_ENABLED: 'false' })));

let stored = 0;

/** Sends the pieces as one result under a new key; gives where it lies. */
function store({ port }: RunningProgram, count: number): Promise<string> {
  const edge = 'svc-bench';
  const head = (name: string): string =>
    `--${edge}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
  const key = createHash('sha256').update(`${process.pid} ${stored++}`).digest('hex');
  return new Promise((resolve, reject) => {
    const request = http.request(
      {
        port,
        host: '127.0.0.1',
        method: 'PUT',
        path: `/v1/artifacts/by-provenance/${key}`,
        headers: { 'content-type': `multipart/form-data; boundary=${edge}` },
      },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        response.on('end', () => {
          const uri = /svc:\/\/artifact\/([^"]+)@v=(\d+)/.exec(text);
          if (response.statusCode !== 200 || !uri)
            reject(new Error(`Storing answered ${response.statusCode}: ${text}`));
          else resolve(`/v1/artifacts/${uri[1]}/v/${uri[2]}`);
        });
      },
    );
    request.on('error', reject);
    request.write(`${head('metadata')}{"content_type":"json/object"}\r\n${head('data')}`);
    let left = count;
    const send = (): void => {
      if (left-- > 0) request.write(piece, send);
      else request.end(`\r\n--${edge}--\r\n`);
    };
    send();
  });
}

const perSecond = (bytes: number, began: number): number => bytes / megabyte / ((performance.now() - began) / 1000);

/** Read into one buffer: what a client makes of the bytes is not measured. */
function receive({ port }: RunningProgram, place: string, count = pieces): Promise<number> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    let length = 0;
    const socket = net.connect({
      port,
      host: '127.0.0.1',
      onread: {
        buffer: Buffer.alloc(pieceBytes),
        callback: (count) => {
          length += count;
          return true;
        },
      },
    });
    socket.on('error', reject);
    socket.on('close', () => {
      if (length < count * pieceBytes) reject(new Error(`Only ${length} bytes came back.`));
      else resolve(perSecond(length, began));
    });
    socket.write(`GET ${place}/data HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`);
  });
}

/** The same bytes, hashed and written to disk by the plainest program. */
async function writeAndHash({ sandbox }: Context): Promise<number> {
  const file = path.join(sandbox.folder(), 'limit');
  const began = performance.now();
  const handle = await open(file, 'w');
  const hash = createHash('sha256');
  for (let at = 0; at < pieces; at++) {
    const written = handle.write(piece);
    hash.update(piece);
    await written;
  }
  await handle.sync();
  await handle.close();
  const rate = perSecond(pieces * pieceBytes, began);
  await rm(file);
  return rate;
}

const named = kept(async (context) => {
  const program = await server(context);
  const place = await store(program, 1);
  const [, id] = /^\/v1\/artifacts\/(.*)\/v\/1$/.exec(place) ?? [];
  const answer = await fetch(`http://127.0.0.1:${program.port}/v1/names`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'bench', artifact_id: id, version: 1 }),
  });
  if (answer.status !== 200) throw new Error(`Naming answered ${answer.status}`);
  return program;
});

export const nameLookup: Line = {
  name: 'name lookup over 8 connections',
  unit: 'per s',
  warmUp: true,
  budget: { atLeast: 8000 },
  ours: async (context) =>
    requestsPerSecond(context, await named(context), { path: '/v1/names/bench', connections: 8 }),
  limits: {
    'plain Node server': async (context) =>
      requestsPerSecond(context, await plain(context), { path: '/health', connections: 8 }),
  },
};

const plain = kept((context) => startProgram(context, plainNode));

export const storeArtifact: Line = {
  name: 'store an artifact of 256 MiB',
  unit: 'MB/s',
  warmUp: true,
  onlyFull: true,
  budget: { atLeast: 450 },
  async ours(context) {
    const program = await server(context);
    const began = performance.now();
    await store(program, pieces);
    return perSecond(pieces * pieceBytes, began);
  },
  limits: { 'hash and write': writeAndHash },
};

const large = kept(async (context) => store(await server(context), pieces));

export const fetchArtifact: Line = {
  name: 'fetch an artifact of 256 MiB',
  unit: 'MB/s',
  warmUp: true,
  onlyFull: true,
  budget: { atLeast: 1000 },
  ours: async (context) => receive(await server(context), await large(context)),
};

const hugePieces = 2048;

/** What the server holds more than before, at its highest, while 2 GiB come in and go out again. */
export const hugeArtifact: Line = {
  name: 'server memory while 2 GiB are stored and fetched',
  unit: 'MiB',
  onlyFull: true,
  budget: { atMost: 16 },
  async ours(context) {
    const program = await server(context);
    await receive(program, await store(program, 16), 16);
    const resident = (): number => processTree(program.pid)[0]?.residentMebibytes ?? 0;
    const before = resident();
    let highest = before;
    const watch = setInterval(() => {
      highest = Math.max(highest, resident());
    }, 20);
    try {
      const place = await store(program, hugePieces);
      await receive(program, place, hugePieces);
      await fetch(`http://127.0.0.1:${program.port}${place}`, { method: 'DELETE' });
      return Math.max(highest, resident()) - before;
    } finally {
      clearInterval(watch);
    }
  },
};
