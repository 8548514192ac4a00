// The same desk on a notebook that a server has open, over REST.

import { Readable } from 'node:stream';
import { z } from 'zod';
import { usualLanguage } from '../cellLanguages.ts';
import { refusals } from '../errors/index.ts';
import { cellRecord, cellTestResult, dagRecord, executeBody, questionBody, workersBody } from '../protocol/index.ts';
import type { Ask } from '../runtimes/index.ts';
import type { Desk } from './desk.ts';
import { type CellView, cellView, type RunView, shortened, statusView, testView, variableView } from './views.ts';
import { type WorkerDefinition, type WorkerListView, workerListView } from './workers.ts';

export interface RemotePlace {
  readonly server: string;
  readonly session: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What a server refused, in its words. */
export class RemoteRefused extends Error {
  override name = 'RemoteRefused';
}

const cellsShape = z.object({ notebook_id: z.string(), cells: z.array(cellRecord) });
const stateShape = z.looseObject({ name: z.string(), worker: z.string().nullable().default(null) });
const headlessBody = executeBody.required({ report: true });
const jobShape = z.looseObject({ success: z.boolean().default(true), lockfile_changed: z.boolean().default(false) });

export function createRemoteDesk({ server, session, headers }: RemotePlace): Desk {
  const base = `${server.replace(/\/+$/, '')}/v1/notebooks`;

  async function send(method: string, path: string, body?: object): Promise<Response> {
    const answer = await fetch(`${base}${path}`, {
      method,
      headers: { ...headers, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }).catch((error: unknown) => {
      throw new RemoteRefused(`${server} cannot be reached: ${error instanceof Error ? error.message : String(error)}`);
    });
    if (!answer.ok) throw new RemoteRefused(reasonIn(await answer.text(), answer.status));
    return answer;
  }

  const ask = async <T>(schema: z.ZodType<T>, method: string, path: string, body?: object): Promise<T> =>
    schema.parse(await (await send(method, path, body)).json());

  const at = (path: string): string => `/${session}${path}`;
  const listed = () => ask(cellsShape, 'GET', at('/cells'));
  const all = async (): Promise<CellView[]> => (await listed()).cells.map(cellView);
  async function cell(cellId: string): Promise<CellView> {
    const found = (await all()).find(({ id }) => id === cellId);
    if (!found) throw new RemoteRefused(`no cell with id '${cellId}'`);
    return found;
  }

  async function run(cellId: string, mode: string): Promise<RunView> {
    const body = await ask(executeBody, 'POST', at(`/cells/${encodeURIComponent(cellId)}/execute?mode=${mode}`));
    return {
      cell_id: cellId,
      status: body.status === 'ready' ? 'ok' : 'error',
      cache_hit: body.cache_hit,
      execution_method: body.execution_method,
      duration_ms: Math.round(body.duration_ms),
      error: body.error,
      error_code: typeof body.error_code === 'string' ? body.error_code : null,
      stdout: shortened(body.stdout),
      stderr: shortened(body.stderr),
    };
  }

  /** Asks whoever is here what the cell asks, until its run is over. */
  async function answerAll(place: string, answer: Ask, over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      const { question } = await ask(questionBody, 'GET', `${place}/question?wait_seconds=1`);
      if (question === null || over.aborted) continue;
      const { question_id, ...asked } = question;
      const given = await answer(asked, over);
      const text = 'text' in given ? given.text : null;
      // Somebody on a page may have been faster.
      await ask(z.unknown(), 'POST', `${place}/answer`, { question_id, text }).catch(() => {});
    }
  }

  async function workers(): Promise<WorkerListView> {
    const listed = await ask(workersBody, 'GET', at('/workers'));
    const { worker } = await ask(stateShape, 'GET', `/sessions/${session}`);
    return workerListView(ownOf(listed), worker, listed.definitions_editable);
  }

  /** Tokens come masked, and masked they are kept. */
  async function replaceWorkers(change: (own: WorkerDefinition[]) => WorkerDefinition[]): Promise<WorkerListView> {
    const own = ownOf(await ask(workersBody, 'GET', at('/workers')));
    await ask(z.unknown(), 'PUT', at('/workers'), { workers: change(own) });
    return workers();
  }

  return {
    cells: all,
    cell,
    dag: async () => ({ error: null, ...(await ask(dagRecord, 'GET', at('/dag'))) }),
    async status() {
      const { notebook_id, cells } = await listed();
      const { name } = await ask(stateShape, 'GET', `/sessions/${session}`);
      return statusView(notebook_id, name, cells);
    },
    async variable(name) {
      const { variable_producer } = await ask(dagRecord, 'GET', at('/dag'));
      const cells = await all();
      return variableView(name, variable_producer, (id) => cells.find((one) => one.id === id));
    },
    async add({ source, after = null, language = usualLanguage, author }) {
      const added = await ask(cellRecord, 'POST', at('/cells'), { after_cell_id: after, language, author });
      return this.edit(added.id, source, author);
    },
    async edit(cellId, source, author) {
      await ask(z.unknown(), 'PUT', at(`/cells/${encodeURIComponent(cellId)}`), { source, author });
      return cell(cellId);
    },
    async remove(cellId) {
      await ask(z.unknown(), 'DELETE', at(`/cells/${encodeURIComponent(cellId)}`));
      return { removed: cellId };
    },
    async move(cellId, index) {
      const ids = (await all()).map(({ id }) => id).filter((id) => id !== cellId);
      const cell_ids = [...ids.slice(0, index), cellId, ...ids.slice(index)];
      await ask(z.unknown(), 'PUT', at('/cells/reorder'), { cell_ids });
      return all();
    },
    run,
    async report(cellId, mode, answer) {
      const place = at(`/cells/${encodeURIComponent(cellId)}`);
      const query = `mode=${mode}&headless=true${answer ? '&answers=true' : ''}`;
      const over = new AbortController();
      // What cannot be asked is told by the run itself.
      if (answer) answerAll(place, answer, over.signal).catch(() => {});
      const { report } = await ask(headlessBody, 'POST', `${place}/execute?${query}`).finally(() => over.abort());
      const { test_source } = (await listed()).cells.find(({ id }) => id === cellId) ?? { test_source: '' };
      if (report.status !== 'ok' || test_source === '') return report;
      const { cases } = testView(await ask(cellTestResult, 'POST', `${place}/tests`));
      return { ...report, tests: [...cases] };
    },
    async runAll(continueOnError) {
      const { topological_order } = await ask(dagRecord, 'GET', at('/dag'));
      for (const id of topological_order) {
        const { status } = await run(id, 'normal');
        if (status === 'error' && !continueOnError) break;
      }
      return { cells: (await all()).map(({ id, status, error }) => ({ id, status, error })) };
    },
    cancel: (cellId) =>
      ask(
        z.object({ cell_id: z.string(), cancelled: z.boolean(), status: z.string() }),
        'POST',
        at(`/cells/${encodeURIComponent(cellId)}/cancel`),
      ),
    async test(cellId, source) {
      const place = at(`/cells/${encodeURIComponent(cellId)}/tests`);
      if (source !== undefined) await ask(z.unknown(), 'PUT', place, { source });
      const result = await ask(cellTestResult, 'POST', place);
      return { cell_id: cellId, ...testView(result), pytest_unavailable: result.pytest_unavailable };
    },
    async choose() {
      throw new RemoteRefused('Controls are set over the socket of a session; use the page or an agent.');
    },
    setVariant: (group, choice) =>
      ask(z.looseObject({}), 'PUT', at(`/variant-groups/${encodeURIComponent(group)}`), choice),
    async dependency(action, name) {
      const place = action === 'add' ? at('/dependencies') : at(`/dependencies/${encodeURIComponent(name)}`);
      try {
        const body = action === 'add' ? { package: name } : undefined;
        const { success, lockfile_changed } = await ask(jobShape, action === 'add' ? 'POST' : 'DELETE', place, body);
        return { package: name, action, success, lockfile_changed, error: null };
      } catch (error) {
        if (!(error instanceof RemoteRefused)) throw error;
        return { package: name, action, success: false, lockfile_changed: false, error: error.message };
      }
    },
    async output(cellId, index) {
      const answer = await send('GET', at(`/cells/${encodeURIComponent(cellId)}/outputs/${index}/blob`));
      const resolved = Number(answer.headers.get('x-svc-output-index'));
      const { outputs } = await cell(cellId);
      const contentType = outputs[resolved]?.content_type ?? 'application/octet-stream';
      return { index: resolved, contentType, bytes: answer.body ? Readable.fromWeb(answer.body) : Readable.from([]) };
    },
    workers,
    defineWorker: (worker) => replaceWorkers((own) => [...own.filter(({ name }) => name !== worker.name), worker]),
    removeWorker: (name) =>
      replaceWorkers((own) => {
        if (!own.some((one) => one.name === name)) throw refusals.workerNotFound(name);
        return own.filter((one) => one.name !== name);
      }),
    async chooseWorker(name) {
      await ask(z.unknown(), 'PUT', at('/worker'), { worker: name });
      return workers();
    },
  };
}

const ownOf = ({ workers }: z.infer<typeof workersBody>): WorkerDefinition[] =>
  workers
    .filter(({ source }) => source === 'notebook')
    .map(({ name, backend, runtime_id, config }) => ({ name, backend, runtime_id, config }));

function reasonIn(text: string, status: number): string {
  const detail = z.object({ detail: z.unknown() }).safeParse(jsonOf(text)).data?.detail;
  if (typeof detail === 'string') return detail;
  const message = z.object({ message: z.string() }).safeParse(detail).data?.message;
  return message ?? `the server answered ${status}: ${text.slice(0, 300)}`;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
