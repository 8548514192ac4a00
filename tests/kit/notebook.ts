// A notebook on a real server, driven as its users drive it: over REST and over a socket.
import {
  type CellRecord,
  cellRecord,
  type ExecuteBody,
  executeBody,
  type NotebookState,
  notebookState,
} from '../../src/protocol/index.ts';
import type { Answer } from './rest.ts';
import type { TestServer } from './server.ts';
import { type Frame, openSocket, type TestSocket } from './socket.ts';

export interface TestNotebook {
  readonly sessionId: string;
  readonly path: string;
  readonly socket: TestSocket;
  request(method: string, path: string, json?: unknown): Promise<Answer>;
  state(): Promise<NotebookState>;
  /** Adds a python cell with this source at the end. */
  add(source: string): Promise<string>;
  edit(cellId: string, source: string): Promise<Answer>;
  cell(cellId: string): Promise<CellRecord>;
  run(cellId: string, mode?: 'normal' | 'rerun' | 'force'): Promise<ExecuteBody>;
  /** Frames after now, until one fits. */
  framesUntil(fits: (frame: Frame) => boolean): Promise<Frame[]>;
  statuses(): Promise<string>;
}

export async function createTestNotebook(server: TestServer, name = 'First'): Promise<TestNotebook> {
  const answer = await server.rest.post('/v1/notebooks/create', { json: { parent_path: '.', name } });
  if (answer.status !== 200) throw new Error(`create answered ${answer.status}: ${answer.text}`);
  const notebook = await watch(server, notebookState.parse(answer.json));
  await environmentReady(notebook);
  return notebook;
}

export async function openTestNotebook(server: TestServer, place: string): Promise<TestNotebook> {
  const answer = await server.rest.post('/v1/notebooks/open', { json: { path: place } });
  if (answer.status !== 200) throw new Error(`open answered ${answer.status}: ${answer.text}`);
  return watch(server, notebookState.parse(answer.json));
}

/** Resolves when the first job of a new notebook has ended. */
export async function environmentReady(notebook: Pick<TestNotebook, 'socket' | 'state'>): Promise<void> {
  const finished = notebook.socket.frame(({ type }) => type === 'environment_job_finished');
  finished.catch(() => {}); // nobody waits for it when the job ended before
  const { environment, environment_job } = await notebook.state();
  if (environment.sync_state === 'pending' || environment_job?.status === 'running') await finished;
}

async function watch(server: TestServer, { session_id: sessionId, path }: NotebookState): Promise<TestNotebook> {
  const base = `/v1/notebooks/${sessionId}`;
  const socket = await openSocket(server.address, `/v1/notebooks/ws/${sessionId}`);
  const request = (method: string, place: string, json?: unknown): Promise<Answer> =>
    server.rest.send(method, `${base}${place}`, json === undefined ? {} : { json });
  const state = async (): Promise<NotebookState> =>
    notebookState.parse((await server.rest.get(`/v1/notebooks/sessions/${sessionId}`)).json);
  const edit = (cellId: string, source: string): Promise<Answer> => request('PUT', `/cells/${cellId}`, { source });
  return {
    sessionId,
    path,
    socket,
    request,
    state,
    edit,
    async add(source) {
      const { id } = cellRecord.parse((await request('POST', '/cells', {})).json);
      const answer = await edit(id, source);
      if (answer.status !== 200) throw new Error(`edit answered ${answer.status}: ${answer.text}`);
      return id;
    },
    async cell(cellId) {
      const found = (await state()).cells.find(({ id }) => id === cellId);
      if (!found) throw new Error(`There is no cell ${cellId}`);
      return found;
    },
    async run(cellId, mode = 'normal') {
      const answer = await request('POST', `/cells/${cellId}/execute?mode=${mode}`);
      if (answer.status !== 200) throw new Error(`execute answered ${answer.status}: ${answer.text}`);
      return executeBody.parse(answer.json);
    },
    async framesUntil(fits) {
      const start = socket.frames.length;
      await socket.frame((frame) => socket.frames.indexOf(frame) >= start && fits(frame));
      return socket.frames.slice(start);
    },
    async statuses() {
      return (await state()).cells.map(({ status }) => status).join(' ');
    },
  };
}
