// The same desk on a notebook that a server has open, over REST.
import { Readable } from 'node:stream';
import { z } from 'zod';
import { usualLanguage } from '../cellLanguages.ts';
import { refusals } from '../errors/index.ts';
import { cellRecord, cellTestResult, dagRecord, executeBody, questionBody, workersBody } from '../protocol/index.ts';
import type { Ask } from '../runtimes/index.ts';
import type { Desk } from './desk.ts';
import { type RemotePlace, RemoteRefused, type RemoteSession, remoteSession } from './remoteSession.ts';
import {
  type CellView,
  cellView,
  largeReadView,
  type RunView,
  shortened,
  statusView,
  testView,
  variableView,
} from './views.ts';
import { whileWanted } from './whileWanted.ts';
import { type DefinedWorker, type WorkerListView, workerListView } from './workers.ts';

const cellsShape = z.object({ notebook_id: z.string(), cells: z.array(cellRecord) });
const stateShape = z.looseObject({ name: z.string(), worker: z.string().nullable().default(null) });
const headlessBody = executeBody.required({ report: true });
const jobShape = z.looseObject({ success: z.boolean().default(true), lockfile_changed: z.boolean().default(false) });
const largeReadShape = z.object({ cells: z.array(z.looseObject({})) });
const cancelledShape = z.object({ cell_id: z.string(), cancelled: z.boolean(), status: z.string() });
const anything = z.unknown();

const theCell = '/{session_id}/cells/{cell_id}';
const pathTo = (cellId: string) => ({ cell_id: cellId });

export function createRemoteDesk(place: RemotePlace): Desk {
  const session = remoteSession(place);
  return { ...looks(session), ...edits(session), ...runs(session), ...workersOf(session), ...packagesOf(session) };
}

type Looks = Pick<Desk, 'cells' | 'cell' | 'dag' | 'status' | 'variable' | 'output'>;

function looks({ send, ask }: RemoteSession): Looks {
  const listed = () => ask(cellsShape, 'GET', '/{session_id}/cells');
  const cells = async (): Promise<CellView[]> => (await listed()).cells.map(cellView);
  async function cell(cellId: string): Promise<CellView> {
    const found = (await cells()).find(({ id }) => id === cellId);
    if (!found) throw new RemoteRefused(`no cell with id '${cellId}'`);
    return found;
  }
  return {
    cells,
    cell,
    dag: async () => ({ error: null, ...(await ask(dagRecord, 'GET', '/{session_id}/dag')) }),
    async status() {
      const { notebook_id, cells: all } = await listed();
      const { name } = await ask(stateShape, 'GET', '/sessions/{session_id}');
      return statusView(notebook_id, name, all);
    },
    async variable(name) {
      const { variable_producer } = await ask(dagRecord, 'GET', '/{session_id}/dag');
      const all = await cells();
      return variableView(name, variable_producer, (id) => all.find((one) => one.id === id));
    },
    async output(cellId, index) {
      const answer = await send('GET', `${theCell}/outputs/{index}/blob`, { path: { ...pathTo(cellId), index } });
      const resolved = Number(answer.headers.get('x-svc-output-index'));
      const { outputs } = await cell(cellId);
      const contentType = outputs[resolved]?.content_type ?? 'application/octet-stream';
      return { index: resolved, contentType, bytes: answer.body ? Readable.fromWeb(answer.body) : Readable.from([]) };
    },
  };
}

function edits(session: RemoteSession): Pick<Desk, 'add' | 'edit' | 'remove' | 'move' | 'choose' | 'setVariant'> {
  const { ask } = session;
  const { cell, cells } = looks(session);
  return {
    async add({ source, after = null, language = usualLanguage, author }) {
      const body = { after_cell_id: after, language, source, author };
      return cellView(await ask(cellRecord, 'POST', '/{session_id}/cells', { body }));
    },
    async edit(cellId, source, author, force = false) {
      await ask(anything, 'PUT', theCell, { path: pathTo(cellId), body: { source, author, force } });
      return cell(cellId);
    },
    async remove(cellId) {
      await ask(anything, 'DELETE', theCell, { path: pathTo(cellId) });
      return { removed: cellId };
    },
    async move(cellId, index) {
      const ids = (await cells()).map(({ id }) => id).filter((id) => id !== cellId);
      const cell_ids = [...ids.slice(0, index), cellId, ...ids.slice(index)];
      await ask(anything, 'PUT', '/{session_id}/cells/reorder', { body: { cell_ids } });
      return cells();
    },
    async choose() {
      throw new RemoteRefused('Controls are set over the socket of a session; use the page or an agent.');
    },
    setVariant: (group, choice) =>
      ask(z.looseObject({}), 'PUT', '/{session_id}/variant-groups/{group}', { path: { group }, body: choice }),
  };
}

function runs(session: RemoteSession): Pick<Desk, 'run' | 'report' | 'runAll' | 'cancel' | 'test'> {
  const { ask } = session;
  const { cells } = looks(session);
  const cancel: Desk['cancel'] = (cellId) => ask(cancelledShape, 'POST', `${theCell}/cancel`, { path: pathTo(cellId) });

  /** The server goes on when a request is given up: it has to be told. */
  const cancelling = (cellId: string) => (): void => void cancel(cellId).catch(() => {});

  const run: Desk['run'] = async (cellId, mode, signal, reads = { confirm: false, approve: false }) => {
    const query = { mode, confirm_reads: reads.confirm, approve_reads: reads.approve };
    try {
      const started = ask(executeBody, 'POST', `${theCell}/execute`, { path: pathTo(cellId), query });
      return runView(cellId, await whileWanted(signal, cancelling(cellId), started));
    } catch (error) {
      if (!(error instanceof RemoteRefused) || error.answer?.code !== 'large_read') throw error;
      return largeReadView(cellId, error.message, largeReadShape.parse(error.answer.detail).cells);
    }
  };

  const test = (cellId: string) => ask(cellTestResult, 'POST', `${theCell}/tests`, { path: pathTo(cellId) });

  return {
    run,
    cancel,
    async report(cellId, mode, answer) {
      const query = { mode, headless: true, ...(answer ? { answers: true } : {}) };
      const over = new AbortController();
      // What cannot be asked is told by the run itself.
      if (answer) answerAll(session, cellId, answer, over.signal).catch(() => {});
      const path = pathTo(cellId);
      const started = ask(headlessBody, 'POST', `${theCell}/execute`, { path, query });
      const { report } = await started.finally(() => over.abort());
      const { cells: all } = await ask(cellsShape, 'GET', '/{session_id}/cells');
      const hasTests = (all.find(({ id }) => id === cellId)?.test_source ?? '') !== '';
      if (report.status !== 'ok' || !hasTests) return report;
      return { ...report, tests: [...testView(await test(cellId)).cases] };
    },
    async runAll(continueOnError, signal) {
      const { topological_order } = await ask(dagRecord, 'GET', '/{session_id}/dag');
      for (const id of topological_order) {
        if (signal?.aborted) break;
        const { status } = await run(id, 'normal', signal);
        if (status === 'error' && !continueOnError) break;
      }
      return { cells: (await cells()).map(({ id, status, error }) => ({ id, status, error })) };
    },
    async test(cellId, source, signal) {
      if (source !== undefined)
        await ask(anything, 'PUT', `${theCell}/tests`, { path: pathTo(cellId), body: { source } });
      const result = await whileWanted(signal, cancelling(cellId), test(cellId));
      return { cell_id: cellId, ...testView(result), pytest_unavailable: result.pytest_unavailable };
    },
  };
}

const runView = (cellId: string, body: z.infer<typeof executeBody>): RunView => ({
  cell_id: cellId,
  status: body.status === 'ready' ? 'ok' : 'error',
  cache_hit: body.cache_hit,
  execution_method: body.execution_method,
  duration_ms: Math.round(body.duration_ms),
  error: body.error,
  error_code: typeof body.error_code === 'string' ? body.error_code : null,
  stdout: shortened(body.stdout),
  stderr: shortened(body.stderr),
});

/** Asks whoever is here what the cell asks, until its run is over. */
async function answerAll({ ask }: RemoteSession, cellId: string, answer: Ask, over: AbortSignal): Promise<void> {
  const path = pathTo(cellId);
  while (!over.aborted) {
    const { question } = await ask(questionBody, 'GET', `${theCell}/question`, { path, query: { wait_seconds: 1 } });
    if (question === null || over.aborted) continue;
    const { question_id, ...asked } = question;
    const given = await answer(asked, over);
    const body = { question_id, text: 'text' in given ? given.text : null };
    // Somebody on a page may have been faster.
    await ask(anything, 'POST', `${theCell}/answer`, { path, body }).catch(() => {});
  }
}

function workersOf({ ask }: RemoteSession): Pick<Desk, 'workers' | 'defineWorker' | 'removeWorker' | 'chooseWorker'> {
  async function workers(): Promise<WorkerListView> {
    const listed = await ask(workersBody, 'GET', '/{session_id}/workers');
    const { worker } = await ask(stateShape, 'GET', '/sessions/{session_id}');
    return workerListView(ownOf(listed), worker, listed.definitions_editable);
  }

  /** Tokens come masked, and masked they are kept. */
  async function replaceWorkers(change: (own: DefinedWorker[]) => DefinedWorker[]): Promise<WorkerListView> {
    const own = ownOf(await ask(workersBody, 'GET', '/{session_id}/workers'));
    await ask(anything, 'PUT', '/{session_id}/workers', { body: { workers: change(own) } });
    return workers();
  }

  return {
    workers,
    defineWorker: (worker) => replaceWorkers((own) => [...own.filter(({ name }) => name !== worker.name), worker]),
    removeWorker: (name) =>
      replaceWorkers((own) => {
        if (!own.some((one) => one.name === name)) throw refusals.workerNotFound(name);
        return own.filter((one) => one.name !== name);
      }),
    async chooseWorker(name) {
      await ask(anything, 'PUT', '/{session_id}/worker', { body: { worker: name } });
      return workers();
    },
  };
}

const ownOf = ({ workers }: z.infer<typeof workersBody>): DefinedWorker[] =>
  workers
    .filter(({ source }) => source === 'notebook')
    .map(({ name, backend, runtime_id, config }) => ({ name, backend, runtime_id, config }));

const packagesOf = ({ ask }: RemoteSession): Pick<Desk, 'dependency'> => ({
  async dependency(action, name) {
    const route = '/{session_id}/dependencies';
    try {
      const { success, lockfile_changed } =
        action === 'add'
          ? await ask(jobShape, 'POST', route, { body: { package: name } })
          : await ask(jobShape, 'DELETE', `${route}/{name}`, { path: { name } });
      return { package: name, action, success, lockfile_changed, error: null };
    } catch (error) {
      if (!(error instanceof RemoteRefused)) throw error;
      return { package: name, action, success: false, lockfile_changed: false, error: error.message };
    }
  },
});
