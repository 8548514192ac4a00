// A server as lines about notebooks need it: its notebooks in a folder of the sandbox, no rate limiter in the way, and
// the machine's own cache of uv, which is warm for everybody who has made a notebook before. The peer speaks the same protocol.
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { z } from 'zod';
import { findUv } from '../../scripts/setup/uv.js';
import type { Context } from '../line.ts';
import { NotMeasured } from '../notMeasured.ts';
import { svcServer } from '../programs/own.ts';
import { type RunningProgram, startProgram } from '../programs/program.ts';
import { openBenchSocket, typed } from './socket.ts';

/** What is read of an answer; the two differ in the rest. */
const openedSchema = z.object({
  session_id: z.string(),
  path: z.string(),
  environment: z.object({ sync_state: z.string() }),
  environment_job: z.object({ status: z.string() }).nullish(),
});
export type Opened = z.infer<typeof openedSchema>;

export interface NotebookServer extends RunningProgram {
  post(place: string, body?: object): Promise<Answer>;
  create(name: string): Promise<Created>;
  /** Resolves when the environment of a notebook that was just created is ready. */
  prepared(notebook: Opened): Promise<void>;
  open(directory: string): Promise<Opened>;
  close(sessionId: string): Promise<void>;
}

export interface Answer {
  readonly text: string;
  /** From the request to the last byte, before anything is made of them. */
  readonly milliseconds: number;
}

/** Made a moment ago. */
export interface Created extends Opened {
  /** Of the answer. */
  readonly milliseconds: number;
}

export type StartNotebookServer = (context: Context) => Promise<NotebookServer>;

const cache = { UV_CACHE_DIR: process.env.UV_CACHE_DIR ?? path.join(os.homedir(), '.cache/uv') };

/** `storage`: the folder of another server's notebooks, to come back to them. */
export async function startNotebookServer(
  context: Context,
  storage = context.sandbox.folder(),
): Promise<NotebookServer> {
  const settings = { SVC_NOTEBOOK_STORAGE_DIR: storage, SVC_RATE_LIMIT_ENABLED: 'false', ...cache };
  return askingFor(await startProgram(context, svcServer(settings)), storage);
}

export async function startPeerServer(context: Context): Promise<NotebookServer> {
  const uv = findUv();
  if (uv === undefined) throw new NotMeasured('needs uv');
  const storage = context.sandbox.folder();
  const peer = await context.peer('strata-notebook');
  // Its uv looks for the interpreter on the path alone.
  const python = fs.realpathSync(path.join(path.dirname(peer.command), 'python'));
  const places = [uv, python].map((file) => path.dirname(file));
  const env = (port: number): Record<string, string> => ({
    ...peer.env?.(port),
    STRATA_NOTEBOOK_STORAGE_DIR: storage,
    STRATA_RATE_LIMIT_ENABLED: 'false',
    PATH: [...places, process.env.PATH].join(path.delimiter),
    ...cache,
  });
  return askingFor(await startProgram(context, { ...peer, env }), storage);
}

function askingFor(server: RunningProgram, storage: string): NotebookServer {
  const post = (place: string, body: object = {}): Promise<Answer> => send(server.port, place, body);
  const state = ({ text }: Answer): Opened => openedSchema.parse(JSON.parse(text));
  const open = async (directory: string): Promise<Opened> =>
    state(await post('/v1/notebooks/open', { path: directory }));
  return {
    ...server,
    post,
    async prepared({ session_id, path: directory }) {
      const socket = await openBenchSocket(server.port, session_id);
      const finished = socket.next(typed('environment_job_finished'));
      const { environment, environment_job } = await open(directory);
      if (environment.sync_state === 'pending' || environment_job?.status === 'running') await finished;
      else finished.catch(() => {});
      socket.close();
    },
    async create(name) {
      const answer = await post('/v1/notebooks/create', { parent_path: storage, name });
      return { ...state(answer), milliseconds: answer.milliseconds };
    },
    open,
    async close(sessionId) {
      await post(`/v1/notebooks/${sessionId}/close`);
    },
  };
}

/** One connection is kept, as a browser keeps it. */
const agent = new http.Agent({ keepAlive: true });

function send(port: number, place: string, body: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const began = performance.now();
    const headers = { 'content-type': 'application/json' };
    const options = { host: '127.0.0.1', port, path: place, method: 'POST', headers, agent };
    const request = http.request(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const milliseconds = performance.now() - began;
        const text = Buffer.concat(chunks).toString();
        if (response.statusCode === 200) resolve({ text, milliseconds });
        else reject(new Error(`${place} answered ${response.statusCode}: ${text.slice(0, 300)}`));
      });
    });
    request.on('error', reject);
    request.end(JSON.stringify(body));
  });
}
