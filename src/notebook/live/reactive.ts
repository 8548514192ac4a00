// A notebook that is reactive: when something changed, cells below follow by themselves as far as that is cheap and touches
// nothing outside; others wait and say why. Changes that come together are followed once, whoever made them.
import { kindOf } from '../../cellLanguages.ts';
import { localWorker, resolveWorker } from '../annotations/index.ts';
import { textOf } from '../connections/index.ts';
import { cellOf } from '../document/index.ts';
import type { SessionState, Waiting } from '../state/index.ts';
import { below } from '../state/index.ts';
import { type Following, following, type Gate } from './followers.ts';
import type { CellOutcome } from './host.ts';
import type { CellRead } from './largeReads.ts';
import type { LiveNotebook } from './live.ts';

export interface Reactive {
  isOn(): boolean;
  /** Somebody changed these cells, or what they read. */
  changed(cellIds: readonly string[]): void;
  /** A cell has run. */
  ran(outcome: CellOutcome): void;
  /** A run is over. */
  rested(): void;
  /** Of these cells, those that follow now; the others are told to wait. */
  choose(cellIds: readonly string[], signal: AbortSignal): Promise<readonly string[]>;
  close(): void;
}

export interface ReactiveParts {
  readonly limits: ReactiveLimits;
  /** Whether whoever made the change may run cells, and cells may run at all just now. */
  readonly mayRun: () => boolean;
}

export interface ReactiveLimits {
  readonly cellSeconds: number;
  readonly totalSeconds: number;
}

/** Somebody who types on has not finished. */
const quietMs = 400;

export function createReactive(live: LiveNotebook, { limits, mayRun }: ReactiveParts): Reactive {
  const stirred = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let isFollowing = false;
  let isClosed = false;

  const isOn = (): boolean => live.notebook().reactive;
  const gate: Gate = {
    cellMs: limits.cellSeconds * 1000,
    totalMs: limits.totalSeconds * 1000,
    objection: (cellId) => objectionTo(live, cellId),
    takesUnknown: false,
  };

  function stir(cellIds: Iterable<string>): void {
    if (!isOn() || isClosed || !mayRun()) return;
    for (const id of cellIds) stirred.add(id);
    if (stirred.size > 0) soon();
  }

  function soon(): void {
    clearTimeout(timer);
    timer = setTimeout(() => void follow(), quietMs).unref();
  }

  async function follow(): Promise<void> {
    // Once it is over, this comes again.
    if (isClosed || stirred.size === 0 || live.runner.active() || !mayRun()) return;
    isFollowing = true;
    try {
      await live.runner.runChosen(async (signal) => {
        const from = [...stirred];
        stirred.clear();
        return isOn() ? choose(outdatedFrom(live.session(), from), signal) : [];
      });
    } finally {
      isFollowing = false;
    }
  }

  async function choose(cellIds: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const decide = (left: ReadonlySet<string>): Following =>
      following(cellIds, gate, { session: live.session(), lastDuration: live.lastDuration, left });
    const reads: readonly CellRead[] =
      (await live.reads.over({ cells: decide(new Set()).follow, anew: new Set() }, signal))?.cells ?? [];
    const { follow: chosen, wait } = decide(new Set(reads.map(({ cell_id }) => cell_id)));
    live.waits(wait);
    live.heldBack(reads);
    return chosen;
  }

  return {
    isOn,
    choose,
    changed: stir,
    ran({ cellId, status, cacheHit }) {
      // A widget chooses itself what follows it.
      const requested = live.session().facts.get(live.runner.active()?.requested ?? '');
      const isWidget = requested !== undefined && kindOf(requested.language) === 'controls';
      if (!isFollowing && !isWidget && status === 'ready' && !cacheHit) stir([cellId]);
    },
    rested() {
      if (stirred.size > 0 && !isClosed) soon();
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

/** These cells and those below, as far as they ran before and are not up to date. */
export function outdatedFrom(session: SessionState, from: readonly string[]): string[] {
  const reached = new Set(from.flatMap((id) => [id, ...below(session, id)]));
  return session.graph.order.filter((id) => {
    const cell = session.cells.get(id);
    return reached.has(id) && cell !== undefined && !cell.current && cell.result !== null;
  });
}

/** Whether it reads what a cell above made whose text is half written now: it would only find that nobody makes it. */
function readsBroken(live: LiveNotebook, cellId: string): boolean {
  const { cells: forms } = live.shape();
  const { cells } = live.session();
  const { references = [] } = forms.get(cellId) ?? {};
  for (const { id } of live.notebook().cells) {
    if (id === cellId) return false;
    const made = forms.get(id)?.isBroken ? cells.get(id)?.result?.variables : undefined;
    if (made && references.some((name) => Object.hasOwn(made, name))) return true;
  }
  return false;
}

const nearDrivers = new Set(['sqlite', 'duckdb']);

/** What a cell did outside the notebook when it last ran, whatever it says by now: it is not done twice unasked. */
function objectionTo(live: LiveNotebook, cellId: string): Waiting | null {
  const notebook = live.notebook();
  const cell = cellOf(notebook, cellId);
  const form = live.shape().cells.get(cellId);
  if (!form) return { because: 'unknown' };
  const { directives, writesMount } = form;
  if (form.isBroken) return { because: 'broken' };
  if (readsBroken(live, cellId)) return { because: 'above' };
  const kind = kindOf(cell.language);
  if (kind === 'controls' || kind === 'text') return null;
  if (writesMount || directives.writeTables.length > 0) return { because: 'outside' };
  if (kind === 'request') {
    const connection = notebook.connections.find(({ name }) => name === directives.sql?.connection);
    const isNear = connection && nearDrivers.has(connection.driver) && textOf(connection, 'catalog') === undefined;
    return isNear && !directives.sql?.write ? null : { because: 'outside' };
  }
  if (resolveWorker(directives, cell, notebook).value !== localWorker) return { because: 'unknown' };
  const effects = live.shown(cellId)?.effects;
  if (!effects) return { because: 'unknown' };
  const isOutside = [effects.written, effects.hosts, effects.programs].some((names) => names.length > 0);
  return isOutside || effects.asked ? { because: 'outside' } : null;
}
