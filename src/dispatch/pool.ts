// Cells and workers brought together: cells wait in line, workers are started for them as jobs of the cluster, run one cell at a
// time, are kept for a while and are given back. What becomes of a worker's job is the engine's word; what becomes of a cell is
// said here once.
import { setTimeout as pause } from 'node:timers/promises';
import { arrange, onNode, tellWaiting, type WaitingCell } from './arrange.ts';
import { type Cell, type SavedEnding, shapeOf } from './cell.ts';
import { type Cluster, createCluster } from './cluster.ts';
import { EngineFailure, type JobLoss, type Resources, whyNever } from './engine.ts';
import { letGo, runOn } from './handing.ts';
import { Cancelled, isWorthIt, Lost, type PoolParts } from './poolParts.ts';
import { createPoolWorkers, type PoolWorker, type PoolWorkers } from './poolWorkers.ts';

/** Together they are one job array. */
const togetherMilliseconds = 20;
const mostStarts = 3;
const letGoMilliseconds = 10_000;
/** Clusters give jobs half a minute to end by themselves. */
const endingMilliseconds = 60_000;
const killedMilliseconds = 3000;

export class Pool {
  readonly #parts: PoolParts;
  readonly #workers: PoolWorkers;
  readonly #cluster: Cluster;
  #waiting: Cell[] = [];
  #starting: NodeJS.Timeout | undefined;
  #checking: NodeJS.Timeout | undefined;
  #isLooking = false;
  #trouble: string | null = null;
  #isClosed = false;
  readonly #comings = new Map<string, (() => void)[]>();

  /** With what an earlier dispatcher left: its cells that wait, and those that workers have. */
  static async open(parts: PoolParts, cells: readonly Cell[]): Promise<Pool> {
    const pool = new Pool(parts, await createPoolWorkers(parts.spool));
    for (const cell of cells) {
      const worker = pool.#workers.all.get(cell.note.worker ?? '');
      if (worker) void pool.#run(cell, worker, true);
      else if (cell.note.worker === null) pool.#waiting.push(cell);
      else pool.#end(cell, { kind: 'failed', status: 500, error: 'The worker that had the cell is gone.' });
    }
    pool.#check();
    // What there is room for is known when the cluster has said what it has.
    pool.#cluster.nodes().then(
      () => pool.#arrange(),
      () => pool.#arrange(),
    );
    return pool;
  }

  private constructor(parts: PoolParts, workers: PoolWorkers) {
    this.#parts = parts;
    this.#workers = workers;
    this.#cluster = createCluster(parts.engine, parts.options);
  }

  get trouble(): string | null {
    return this.#trouble;
  }

  get cluster(): Cluster {
    return this.#cluster;
  }

  counts(): { running: number; waiting: number; workers: number } {
    const workers = [...this.#workers.all.values()];
    const running = workers.filter(({ cell }) => cell).length;
    return { running, waiting: this.#waiting.length, workers: workers.length };
  }

  /** Cells of people come before those of runs that nobody watches. */
  add(cell: Cell): void {
    const isBefore = (other: Cell): boolean => cell.note.order.isInteractive && !other.note.order.isInteractive;
    const at = this.#waiting.findIndex(isBefore);
    this.#waiting.splice(at < 0 ? this.#waiting.length : at, 0, cell);
    this.#arrange();
  }

  /** Ends it wherever it is. */
  async cancel(cell: Cell): Promise<void> {
    const isWaiting = this.#waiting.includes(cell);
    this.#waiting = this.#waiting.filter((other) => other !== cell);
    const error = isWaiting ? 'The execution was cancelled before the cell began.' : 'The execution was cancelled.';
    this.#end(cell, { kind: 'failed', status: isWaiting ? 409 : 500, error });
    const worker = [...this.#workers.all.values()].find((one) => one.cell === cell);
    if (worker) worker.lost.abort(new Cancelled());
    this.#arrange();
    this.#giveBackUnwanted();
  }

  /** A cell may soon come: a worker that nobody has is started. */
  hint(): void {
    if (this.#workers.all.size === 0) void this.#start(this.#parts.options.resources, 1);
  }

  connected(name: string): void {
    const worker = this.#workers.all.get(name);
    if (!worker) return void this.#parts.engine.stop([name]).catch(() => {});
    worker.isConnected = true;
    worker.hasCome = true;
    worker.runningSince ??= performance.now();
    for (const wake of this.#comings.get(name) ?? []) wake();
    this.#comings.delete(name);
    this.#parts.onWorker(name);
    if (!worker.cell) this.#rest(worker);
    this.#arrange();
  }

  gone(name: string): void {
    const worker = this.#workers.all.get(name);
    if (!worker) return;
    worker.isConnected = false;
    this.#check();
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#starting);
    clearTimeout(this.#checking);
  }

  #end(cell: Cell, ending: SavedEnding): void {
    this.#parts.onEnded(cell, ending);
  }

  #asWaiting(): WaitingCell[] {
    return this.#waiting.map(({ note: { id, order } }) => ({
      id,
      shape: shapeOf(order.resources),
      environment: order.environment,
      timeoutSeconds: order.timeoutSeconds,
    }));
  }

  #arrange(): void {
    if (this.#isClosed) return;
    const placed = this.#workers.placed(performance.now());
    const { handed, started, givenBack } = arrange(this.#asWaiting(), placed, this.#cluster.most());
    const byId = new Map(this.#waiting.map((cell) => [cell.note.id, cell]));
    for (const { cell: id, worker: name } of handed) {
      const [cell, worker] = [byId.get(id), this.#workers.all.get(name)];
      if (!cell || !worker) continue;
      this.#waiting = this.#waiting.filter((other) => other !== cell);
      void this.#run(cell, worker, false);
    }
    for (const name of givenBack) this.#giveBack(name);
    if (started.size > 0) this.#starting ??= setTimeout(() => this.#startNow(), togetherMilliseconds);
    this.#tell();
  }

  #startNow(): void {
    this.#starting = undefined;
    const placed = this.#workers.placed(performance.now());
    const { started } = arrange(this.#asWaiting(), placed, this.#cluster.most());
    for (const [shape, count] of started) {
      const cell = this.#waiting.find(({ note }) => shapeOf(note.order.resources) === shape);
      if (cell) void this.#start(cell.note.order.resources, count);
    }
  }

  #tell(): void {
    const placed = this.#workers.placed(performance.now());
    const told = tellWaiting(this.#asWaiting(), placed, this.#parts.engine.name, this.#trouble);
    for (const cell of this.#waiting) {
      const state = told.get(cell.note.id);
      if (state) cell.job.tell(state);
    }
  }

  async #start(resources: Resources, count: number): Promise<void> {
    const { engine, link, reach, log } = this.#parts;
    const { batch, workers } = await this.#workers.plan(resources, count);
    try {
      const never = whyNever(await this.#cluster.nodes(), resources);
      if (never !== undefined) throw new EngineFailure(never);
      const token = link.tokenOf(batch);
      const env = { SVC_WORKER_TOKEN: token, SVC_WORKER_CONNECT_TOKEN: token };
      await reach.expect(workers.map(({ name }) => name));
      await engine.submit({ batch, count, resources, dial: reach.dial, env });
      for (const worker of workers) worker.submittedAt = performance.now();
      this.#check();
    } catch (error) {
      await this.#workers.remove(workers.map(({ name }) => name));
      await Promise.all(workers.map(({ name }) => reach.forget(name)));
      if (!(error instanceof EngineFailure)) log.error('Workers could not be started', { error });
      const reason = error instanceof Error ? error.message : String(error);
      const shape = shapeOf(resources);
      // What is refused for one is refused for all that ask for the same.
      for (const cell of this.#waiting.filter(({ note }) => shapeOf(note.order.resources) === shape)) {
        this.#waiting = this.#waiting.filter((other) => other !== cell);
        this.#end(cell, { kind: 'failed', status: 502, error: reason });
      }
      this.#tell();
    }
  }

  async #run(cell: Cell, worker: PoolWorker, isHanded: boolean): Promise<void> {
    const { link, spool } = this.#parts;
    worker.cell = cell;
    worker.lost = new AbortController();
    worker.environment = cell.note.order.environment;
    const { id } = cell.note;
    const where = (): string => onNode(worker.report?.state === 'running' ? worker.report.node : null);
    try {
      cell.job.tell({ state: 'starting', detail: `starting${where()}` });
      if (!isHanded) cell.note = { ...cell.note, worker: worker.name };
      if (!isHanded) await spool.save(cell.note);
      const ending = await runOn(worker.name, cell.note, isHanded, {
        link,
        whenConnected: (name, signal) => this.#whenConnected(name, signal),
        requestFile: spool.requestOf(id),
        bundleFile: spool.bundleOf(id),
        onRunning: () => cell.job.tell({ state: 'running', detail: `running${where()}` }),
        signal: worker.lost.signal,
      });
      if (ending?.kind === 'failed' && ending.status === 500) await this.#askedWhy(worker, ending.error);
      if (ending) this.#end(cell, ending);
      else await this.#again(cell, { reason: 'Its worker did not take it.', kind: 'taken' }, 'failedStarts');
      // What it still keeps of the cell holds up nobody.
      void letGo(link, worker.name, id, letGoMilliseconds).catch(() => {});
    } catch (error) {
      await this.#afterLoss(cell, worker, error);
    }
    worker.cell = undefined;
    if (this.#workers.all.has(worker.name)) this.#rest(worker);
    this.#arrange();
  }

  /** The cluster ends cells before workers: where it is at that, its word counts. Throws the loss. */
  async #askedWhy(worker: PoolWorker, error: string): Promise<void> {
    const { engine, options } = this.#parts;
    const isKilled = /\bSIG(TERM|KILL)\b/.test(error);
    for (const begun = performance.now(); ; ) {
      const report = (await engine.reports().catch(() => undefined))?.get(worker.name);
      worker.lost.signal.throwIfAborted();
      if (report?.state === 'ended') return this.#lose(worker, report).then(() => worker.lost.signal.throwIfAborted());
      const isEnding = report?.state === 'running' && report.isEnding;
      // Some engines say that they are at it only when it is done.
      const patience = isEnding ? endingMilliseconds : isKilled ? killedMilliseconds : 0;
      if (performance.now() - begun >= patience) return;
      await pause(options.lookSeconds * 1000, undefined, { signal: worker.lost.signal });
    }
  }

  async #afterLoss(cell: Cell, worker: PoolWorker, error: unknown): Promise<void> {
    const { link, log } = this.#parts;
    const { id } = cell.note;
    const why: unknown = worker.lost.signal.aborted ? worker.lost.signal.reason : error;
    if (why instanceof Lost) return this.#again(cell, why.loss, 'losses');
    if (why instanceof Cancelled) {
      // A worker that does not let go of its cell is worth nothing.
      await letGo(link, worker.name, id, letGoMilliseconds).catch(() => this.#giveBack(worker.name));
      return;
    }
    log.error('A cell could not be handed over', { error });
    this.#end(cell, { kind: 'failed', status: 500, error: 'The dispatcher could not hand the cell over.' });
  }

  /** Puts it back in line where it may be tried again, else tells how it was lost. */
  async #again(cell: Cell, loss: JobLoss, counts: 'losses' | 'failedStarts'): Promise<void> {
    if (cell.note.ending) return;
    const { note } = cell;
    const mayRetry =
      counts === 'losses' ? isWorthIt(loss) && note.losses < note.order.retry : cell.failedStarts < mostStarts;
    if (!mayRetry) {
      const status = loss.kind === 'time' ? 408 : 500;
      const tried = note.losses === 0 ? '' : ` It was run ${note.losses + 1} times.`;
      return this.#end(cell, { kind: 'failed', status, error: `${loss.reason}${tried}` });
    }
    if (counts === 'failedStarts') cell.failedStarts += 1;
    cell.note = { ...note, worker: null, losses: note.losses + (counts === 'losses' ? 1 : 0) };
    await this.#parts.spool.save(cell.note);
    this.add(cell);
  }

  #rest(worker: PoolWorker): void {
    worker.idleSince = performance.now();
    setTimeout(() => {
      const isIdle = !worker.cell && performance.now() - worker.idleSince >= this.#parts.options.idleSeconds * 1000 - 5;
      if (isIdle && this.#workers.all.has(worker.name)) this.#giveBack(worker.name);
    }, this.#parts.options.idleSeconds * 1000).unref();
  }

  #giveBack(name: string): void {
    const worker = this.#workers.all.get(name);
    if (!worker || worker.isLeaving) return;
    worker.isLeaving = true;
    this.#parts.engine.stop([name]).then(
      () => this.#check(),
      (error: unknown) => {
        // It is tried again with the next look.
        worker.isLeaving = false;
        this.#parts.log.warning('A worker could not be given back', { worker: name, error });
      },
    );
  }

  /** Workers that have not come yet and that no cell waits for any more. */
  #giveBackUnwanted(): void {
    for (const [shape, coming] of Map.groupBy(
      [...this.#workers.all.values()].filter((one) => !one.isConnected && !one.cell && !one.isLeaving),
      (one) => one.shape,
    )) {
      const wanted = this.#waiting.filter(({ note }) => shapeOf(note.order.resources) === shape).length;
      for (const { name } of coming.slice(wanted)) this.#giveBack(name);
    }
  }

  #whenConnected(name: string, signal: AbortSignal): Promise<void> {
    if (this.#parts.link.isConnected(name)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      this.#comings.set(name, [...(this.#comings.get(name) ?? []), resolve]);
    });
  }

  /** Asks the engine now, and again for as long as there are workers. */
  #check(): void {
    clearTimeout(this.#checking);
    if (this.#isClosed || this.#isLooking) return;
    this.#isLooking = true;
    void this.#lookOnce().finally(() => {
      this.#isLooking = false;
      if (this.#isClosed || this.#workers.all.size === 0) return;
      const isQuiet = [...this.#workers.all.values()].every((one) => one.isConnected && !one.isLeaving);
      this.#checking = setTimeout(() => this.#check(), this.#parts.options.lookSeconds * (isQuiet ? 5 : 1) * 1000);
    });
  }

  async #lookOnce(): Promise<void> {
    const { engine, options, log } = this.#parts;
    const asked = performance.now();
    const reports = await engine.reports().catch((error: unknown) => {
      const said = error instanceof Error ? error.message : String(error);
      if (this.#trouble === null) log.warning('The cluster does not answer', { error });
      this.#trouble = said;
    });
    if (reports) this.#trouble = null;
    for (const worker of reports ? [...this.#workers.all.values()] : []) {
      if (worker.submittedAt === undefined || worker.submittedAt > asked) continue;
      const report = reports?.get(worker.name);
      if (!report)
        await this.#lose(worker, {
          reason: 'The cluster does not know the job of its worker any more.',
          kind: 'taken',
        });
      else if (report.state === 'ended') await this.#lose(worker, report);
      else await this.#stillThere(worker, report, options.startSeconds);
    }
    this.#arrange();
  }

  async #stillThere(
    worker: PoolWorker,
    report: NonNullable<PoolWorker['report']>,
    startSeconds: number,
  ): Promise<void> {
    const wasUnknown = worker.report?.state !== 'running';
    worker.report = report;
    if (report.state !== 'running') return;
    worker.runningSince ??= performance.now();
    if (wasUnknown && worker.cell?.job.state.state === 'running')
      worker.cell.job.tell({ state: 'running', detail: `running${onNode(report.node)}` });
    const isLate = performance.now() - Math.max(worker.runningSince, worker.submittedAt ?? 0) > startSeconds * 1000;
    if (worker.isConnected || worker.isLeaving || !isLate) return;
    await this.#parts.engine.stop([worker.name]).catch(() => {});
    await this.#lose(worker, {
      reason: `The worker that was started${onNode(report.node)} did not dial in at ${this.#parts.reach.dial} within ${startSeconds} s. Can the nodes reach that address? (svc dispatch --workers-reach)`,
      kind: 'broken',
    });
  }

  /** Its job has ended: whoever counted on it is told, and it is forgotten. */
  async #lose(worker: PoolWorker, loss: JobLoss): Promise<void> {
    const { engine, reach, log } = this.#parts;
    await this.#workers.remove([worker.name]);
    if (worker.cell) worker.lost.abort(new Lost(loss));
    else if (!worker.hasCome && !worker.isLeaving) {
      const words = (await engine.lastWords(worker.name)).trim();
      log.warning('A worker ended before it was there', { worker: worker.name, reason: loss.reason, words });
      const cell = this.#waiting.find(({ note }) => shapeOf(note.order.resources) === worker.shape);
      if (cell) {
        this.#waiting = this.#waiting.filter((other) => other !== cell);
        const said = words === '' ? '' : ` Its last words: ${words}`;
        if (loss.kind !== 'taken') cell.failedStarts = mostStarts;
        await this.#again(cell, { ...loss, reason: `${loss.reason}${said}` }, 'failedStarts');
      }
    }
    await Promise.all([engine.forget(worker.name), reach.forget(worker.name)]);
  }
}
