// Our server as lines about notebooks need it: its notebooks in a folder of the sandbox, no rate limiter in the way, and
// the machine's own cache of uv, which is warm for everybody who has made a notebook before.
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { type NotebookState, notebookState } from '../../src/protocol/index.ts';
import type { Context } from '../line.ts';
import { svcServer } from '../programs/own.ts';
import { type RunningProgram, startProgram } from '../programs/program.ts';
import { openBenchSocket, typed } from './socket.ts';

export interface NotebookServer extends RunningProgram {
  post(place: string, body?: object): Promise<Answer>;
  create(name: string): Promise<NotebookState>;
  /** Resolves when the environment of a notebook that was just created is ready. */
  prepared(notebook: NotebookState): Promise<void>;
  open(directory: string): Promise<NotebookState>;
  close(sessionId: string): Promise<void>;
}

export interface Answer {
  readonly text: string;
  /** From the request to the last byte, before anything is made of them. */
  readonly milliseconds: number;
}

/** `storage`: the folder of another server's notebooks, to come back to them. */
export async function startNotebookServer(
  context: Context,
  storage = context.sandbox.folder(),
): Promise<NotebookServer> {
  const program = svcServer({
    SVC_NOTEBOOK_STORAGE_DIR: storage,
    SVC_RATE_LIMIT_ENABLED: 'false',
    UV_CACHE_DIR: process.env.UV_CACHE_DIR ?? path.join(os.homedir(), '.cache/uv'),
  });
  const server = await startProgram(context, program);
  const post = (place: string, body: object = {}): Promise<Answer> => send(server.port, place, body);
  const state = ({ text }: Answer): NotebookState => notebookState.parse(JSON.parse(text));
  const open = async (directory: string): Promise<NotebookState> =>
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
    create: async (name) => state(await post('/v1/notebooks/create', { parent_path: '.', name })),
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
