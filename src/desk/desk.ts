// What a program can do in an open notebook: look, change, run. The command line works on it in its own process, agents through
// the server; whoever else watches is told.

import type { Readable } from 'node:stream';
import { parseArtifactUri } from '../artifacts/index.ts';
import { type CellLanguage, usualLanguage } from '../cellLanguages.ts';
import { addRequest, removeRequest } from '../environments/index.ts';
import { refusals } from '../errors/index.ts';
import { openOwnFile } from '../files/index.ts';
import { assertAllowed } from '../identity/index.ts';
import {
  chooseVariant,
  largeReadText,
  type OpenSession,
  type ReadConsent,
  type RunMode,
  setCellTests,
  setNotebookWorker,
  setWorkers,
  weighedCell,
} from '../notebook/index.ts';
import type { CellReport } from '../protocol/index.ts';
import type { Ask } from '../runtimes/index.ts';
import { reportOf } from './report.ts';
import {
  type CellView,
  cellView,
  largeReadView,
  lastRunView,
  type RunView,
  runView,
  statusView,
  type TestView,
  testView,
  variableView,
} from './views.ts';
import { whileWanted } from './whileWanted.ts';
import { type DefinedWorker, type WorkerListView, workerListView } from './workers.ts';

export interface NewSnippet {
  readonly source: string;
  readonly after?: string | null;
  readonly language?: CellLanguage;
  readonly author: string;
}

export interface Desk {
  cells(): Promise<CellView[]>;
  cell(cellId: string): Promise<CellView>;
  variable(name: string): Promise<object>;
  dag(): Promise<object>;
  status(): Promise<object>;
  add(snippet: NewSnippet): Promise<CellView>;
  /** `force`: also where somebody else changed it moments ago. */
  edit(cellId: string, source: string, author: string, force?: boolean): Promise<CellView>;
  remove(cellId: string): Promise<{ removed: string }>;
  move(cellId: string, index: number): Promise<CellView[]>;
  /** `signal`: whoever asked went away; what runs for them ends. */
  run(cellId: string, mode: RunMode, signal?: AbortSignal, reads?: ReadConsent): Promise<RunView>;
  /** The same as a run without people does it: leaves store what they define too, and its tests follow. `ask`: who is there all the same. */
  report(cellId: string, mode: 'normal' | 'force', ask?: Ask): Promise<CellReport>;
  runAll(continueOnError: boolean, signal?: AbortSignal): Promise<{ cells: RunnableStatus[] }>;
  cancel(cellId: string): Promise<{ cell_id: string; cancelled: boolean; status: string }>;
  test(
    cellId: string,
    source?: string,
    signal?: AbortSignal,
  ): Promise<TestView & { cell_id: string; pytest_unavailable: boolean }>;
  choose(
    cellId: string,
    values: Readonly<Record<string, unknown>>,
    signal?: AbortSignal,
  ): Promise<{ cell_id: string; values: object; run: RunView }>;
  setVariant(group: string, choice: { active?: string; mode?: 'switch' | 'sweep' }): Promise<object>;
  dependency(action: 'add' | 'remove', name: string, signal?: AbortSignal): Promise<DependencyResult>;
  /** The bytes of one display; a negative index counts from the end. */
  output(cellId: string, index: number): Promise<StoredOutput>;
  workers(): Promise<WorkerListView>;
  /** Defines a worker, or replaces the one of its name. */
  defineWorker(worker: DefinedWorker): Promise<WorkerListView>;
  removeWorker(name: string): Promise<WorkerListView>;
  /** Null runs cells on this machine. */
  chooseWorker(name: string | null): Promise<WorkerListView>;
}

export interface StoredOutput {
  readonly index: number;
  readonly contentType: string;
  readonly bytes: Readable;
}

export interface RunnableStatus {
  readonly id: string;
  readonly status: string;
  readonly error: string | null;
}

export interface DependencyResult {
  readonly package: string;
  readonly action: 'add' | 'remove';
  readonly success: boolean;
  readonly lockfile_changed: boolean;
  readonly error: string | null;
}

/** `tell`: the notebook looks different now. */
export function createDesk(session: OpenSession, tell: () => void): Desk {
  const { live } = session;

  function known(cellId: string): string {
    if (!live.session().facts.has(cellId)) throw refusals.cellUnknown(cellId);
    return cellId;
  }

  /** The first of them that runs is stopped, and the run with it. */
  const cancelling = (cells: readonly string[]) => (): void => void cells.some((id) => live.cancel(id));

  const view = (cellId: string): CellView => cellView(live.cellRecord(cellId));
  const all = (): CellView[] => live.cellRecords().map(cellView);

  return {
    cells: async () => all(),
    cell: async (cellId) => view(known(cellId)),
    dag: async () => ({ error: null, ...live.dag() }),
    status: async () => statusView(live.notebook().id, live.notebook().name, live.cellRecords()),

    variable: async (name) =>
      variableView(name, live.dag().variable_producer, (id) => (live.session().facts.has(id) ? view(id) : undefined)),

    async add({ source, after = null, language = usualLanguage, author }) {
      const cellId = await live.addCell({ language, source, afterCellId: after, author });
      tell();
      return view(cellId);
    },
    async edit(cellId, source, author, force = false) {
      await live.editCell(known(cellId), source, { author, force });
      tell();
      return view(cellId);
    },
    async remove(cellId) {
      await live.deleteCell(known(cellId));
      tell();
      return { removed: cellId };
    },
    async move(cellId, index) {
      const ids = live
        .notebook()
        .cells.map(({ id }) => id)
        .filter((id) => id !== known(cellId));
      const at = Math.max(0, Math.min(index, ids.length));
      await live.reorderCells([...ids.slice(0, at), cellId, ...ids.slice(at)]);
      tell();
      return all();
    },

    async run(cellId, mode, signal = new AbortController().signal, reads = { confirm: false, approve: false }) {
      live.assertMayRun(null);
      await live.catchUp([cellId]);
      const weighed = weighedCell(live.runner, known(cellId), mode);
      const large = await live.reads.unconfirmed(weighed, reads, signal);
      if (large) return largeReadView(cellId, largeReadText(large), large.cells);
      assertAllowed();
      const started = live.runner.run(cellId, mode);
      return runView(await whileWanted(signal, cancelling([cellId]), started));
    },
    async report(cellId, mode, ask) {
      live.assertMayRun(null);
      await live.catchUp([cellId]);
      const outcome = await live.runner.run(known(cellId), mode, { stores: 'leaves', ask });
      const report = await reportOf(live, outcome);
      const hasTests = report.status === 'ok' && live.cellRecord(cellId).test_source !== '';
      const tests = hasTests ? await session.tests.run(cellId) : undefined;
      return tests ? { ...report, tests: [...testView(tests).cases] } : report;
    },
    async runAll(continueOnError, signal) {
      live.assertMayRun(null);
      const started = live.runner.runAll({ continueOnError, useCache: true });
      await whileWanted(signal, cancelling(live.notebook().cells.map(({ id }) => id)), started);
      return {
        cells: live.notebook().cells.map(({ id }) => {
          const { status, error } = live.cellRecord(id);
          return { id, status, error };
        }),
      };
    },
    async cancel(cellId) {
      const cancelled = live.cancel(known(cellId));
      return { cell_id: cellId, cancelled, status: live.cellRecord(cellId).status };
    },

    async test(cellId, source, signal) {
      live.assertMayRun(null);
      await live.catchUp([cellId]);
      known(cellId);
      if (source !== undefined) {
        await session.configure((notebook) => setCellTests(notebook, cellId, source));
      }
      assertAllowed();
      const result = await whileWanted(signal, cancelling([cellId]), session.tests.run(cellId));
      return { cell_id: cellId, ...testView(result), pytest_unavailable: result.pytest_unavailable };
    },
    async choose(cellId, values, signal) {
      live.assertMayRun(null);
      const update = await session.widgets.choose(known(cellId), values);
      if (!update) throw refusals.notebookRunning(live.runner.active()?.requested ?? cellId);
      await whileWanted(signal, cancelling([cellId]), update.ended);
      const chosen = live.shape().cells.get(cellId)?.chosen ?? {};
      const run = lastRunView(live.cellRecord(known(cellId)), live.lastDuration(cellId));
      return { cell_id: cellId, values: chosen, run };
    },
    async setVariant(group, choice) {
      const found = live.shape().variants.find((one) => one.group === group);
      if (!found) throw refusals.variantGroupNotFound(group);
      const names = found.members.map(({ name }) => name);
      if (choice.active !== undefined && !names.includes(choice.active))
        throw refusals.variantUnknown(group, choice.active, names);
      await chooseVariant(live, group, choice);
      tell();
      return { variant_groups: live.shape().variantGroups, cells: all() };
    },
    async dependency(action, name, signal) {
      assertAllowed();
      const { ended } = session.startJob(action === 'add' ? addRequest(name) : removeRequest(name));
      const job = await whileWanted(signal, () => void session.environment.cancel(), ended);
      return {
        package: name,
        action,
        success: job.status === 'completed',
        lockfile_changed: job.lockfile_changed,
        error: job.error,
      };
    },
    async output(cellId, index) {
      const displays = live.cellRecord(known(cellId)).display_outputs;
      const resolved = index < 0 ? displays.length + index : index;
      const display = displays[resolved];
      const address = parseArtifactUri(String(display?.artifact_uri ?? ''));
      if (!display || !address) throw refusals.outputNotFound(cellId, displays.length, index);
      const file = await openOwnFile(live.blobPath(address)).catch(() => {
        throw refusals.outputNotFound(cellId, displays.length, index);
      });
      return { index: resolved, contentType: display.content_type, bytes: file.createReadStream() };
    },
    ...workersOf(session),
  };
}

/** The machines that cells of a notebook may run on. */
function workersOf(session: OpenSession): Pick<Desk, 'workers' | 'defineWorker' | 'removeWorker' | 'chooseWorker'> {
  const { live } = session;
  const workers = (): WorkerListView => workerListView(live.notebook().workers, live.notebook().worker, true);
  const withoutWorker = (name: string) => live.notebook().workers.filter((one) => one.name !== name);
  return {
    workers: async () => workers(),
    async defineWorker(worker) {
      await session.configure((notebook) => setWorkers(notebook, [...withoutWorker(worker.name), worker]));
      return workers();
    },
    async removeWorker(name) {
      if (!live.notebook().workers.some((one) => one.name === name)) throw refusals.workerNotFound(name);
      await session.configure((notebook) => setWorkers(notebook, withoutWorker(name)));
      return workers();
    },
    async chooseWorker(name) {
      await session.configure((notebook) => setNotebookWorker(notebook, name));
      return workers();
    },
  };
}
