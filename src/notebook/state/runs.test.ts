// Runs as people experience them: asked for, going on, cancelled, cut short; no process, no file, no clock.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom, type RandomSource } from '../../../tests/kit/random.ts';
import { type AfterFailure, apply, type CellFacts, emptySession, objectionToRun, type SessionState } from './index.ts';
import { type Advanced, advance, type RunAction, type RunOperation } from './runs.ts';

/** Which cells each reads from. */
type Sketch = Readonly<Record<string, readonly string[]>>;

function shaped(state: SessionState, sketch: Sketch): SessionState {
  const order = Object.keys(sketch);
  const facts = new Map<string, CellFacts>(
    order.map((id) => [
      id,
      {
        id,
        language: 'python',
        name: id,
        sourceDigest: id,
        environmentHash: '',
        asksOutside: null,
        consumed: [],
        neverCached: false,
      },
    ]),
  );
  const wires = new Map(order.map((id) => [id, (sketch[id] ?? []).map((from) => ({ from, variable: from }))]));
  const downstream = new Map(order.map((id) => [id, order.filter((other) => sketch[other]?.includes(id))]));
  return apply(state, { type: 'shaped', facts, graph: { order, wires, downstream }, touched: order }).state;
}

const open = (sketch: Sketch): SessionState => shaped(emptySession, sketch);

const told = (action: RunAction): string => ('cellId' in action ? `${action.type} ${action.cellId}` : action.type);

/** Carries out operations one after the other; `story` has what was to be done, or why not. */
function play(sketch: Sketch) {
  let state = open(sketch);
  const story: string[] = [];
  function go(operation: RunOperation): Advanced {
    const advanced = advance(state, operation);
    state = advanced.state;
    story.push(...advanced.actions.map(told), ...(advanced.refusal ? [`refused: ${advanced.refusal.type}`] : []));
    return advanced;
  }
  const plan = (
    options: { atOnce?: number; afterFailure?: AfterFailure; steps?: readonly string[] } = {},
  ): Advanced => {
    const { atOnce = 8, afterFailure = 'end', steps = Object.keys(sketch) } = options;
    return go({ type: 'planned', plan: { steps, waitsFor: (id) => sketch[id] ?? [], atOnce }, afterFailure });
  };
  return {
    go,
    plan,
    request: (requested: string | null = null) => go({ type: 'requested', requested, cells: [] }),
    end: (cellId: string, as: 'ready' | 'error' | 'cancelled' = 'ready') => go({ type: 'ended', cellId, as }),
    cancel: (cellId: string | null) => go({ type: 'cancelled', cellId }),
    edit: (next: Sketch) => {
      state = shaped(state, next);
    },
    state: () => state,
    told: () => story.splice(0),
  };
}

const diamond: Sketch = { root: [], left: ['root'], right: ['root'], join: ['left', 'right'] };

describe('a run', () => {
  it('starts each cell once those that it reads from have ended', () => {
    const { request, plan, end, told } = play(diamond);
    request();
    plan();
    assert.deepEqual(told(), ['start root']);
    end('root');
    assert.deepEqual(told(), ['start left', 'start right']);
    end('right');
    assert.deepEqual(told(), []);
    end('left');
    end('join');
    assert.deepEqual(told(), ['start join', 'planOver']);
  });

  it('keeps to the number that may run at once', () => {
    const { request, plan, end, told } = play({ a: [], b: [], c: [] });
    request();
    plan({ atOnce: 2 });
    end('b');
    end('a');
    end('c');
    assert.deepEqual(told(), ['start a', 'start b', 'start c', 'planOver']);
  });

  it('is the only one: another is refused until it is over', () => {
    const { request, plan, end, go, told } = play({ a: [] });
    request('a');
    plan();
    request('a');
    end('a');
    request('a');
    go({ type: 'released' });
    request('a');
    assert.deepEqual(told(), ['start a', 'refused: running', 'planOver', 'refused: running']);
  });

  it('starts nothing after a failure where that ends it, and waits for what runs', () => {
    const { request, plan, end, told } = play(diamond);
    request();
    plan();
    end('root');
    end('left', 'error');
    end('right');
    assert.deepEqual(told(), ['start root', 'start left', 'start right', 'planOver']);
  });

  it('goes round a failure: what reads from it is passed over, the rest runs', () => {
    const { request, plan, end, told } = play({ ...diamond, other: ['right'] });
    request();
    plan({ afterFailure: 'goRound' });
    end('root');
    end('left', 'error');
    end('right');
    end('other');
    assert.deepEqual(told(), ['start root', 'start left', 'start right', 'passOver join', 'start other', 'planOver']);
  });

  it('is cancelled by any cell that it takes, running or not, and by no other', () => {
    const { request, plan, end, cancel, told } = play({ a: [], b: ['a'], elsewhere: [] });
    request('b');
    plan({ steps: ['a', 'b'] });
    cancel('elsewhere');
    cancel('b');
    end('a', 'cancelled');
    assert.deepEqual(told(), ['start a', 'refused: notRunning', 'abort', 'planOver']);
  });

  it('that is cancelled before its plan is made starts nothing', () => {
    const { request, plan, cancel, told } = play({ a: [] });
    request('a');
    cancel('a');
    plan();
    assert.deepEqual(told(), ['abort', 'planOver']);
  });

  it('passes over a cell that was deleted meanwhile, and runs what read from it', () => {
    const { request, plan, end, edit, told } = play({ a: [], b: ['a'], c: ['b'] });
    request();
    plan();
    edit({ a: [], c: [] });
    end('a');
    end('c');
    assert.deepEqual(told(), ['start a', 'start c', 'planOver']);
  });

  it('of a notebook that is closed ends, and no other begins', () => {
    const { request, plan, end, go, told } = play({ a: [], b: [] });
    request();
    plan({ atOnce: 1 });
    go({ type: 'closed' });
    end('a', 'cancelled');
    go({ type: 'released' });
    request();
    assert.deepEqual(told(), ['start a', 'abort', 'planOver', 'refused: closed']);
  });

  it('may have one plan after another', () => {
    const { request, plan, end, told, state } = play({ a: [], b: ['a'], c: ['a'] });
    request('a');
    plan({ steps: ['a'] });
    end('a');
    plan({ steps: ['c'], afterFailure: 'goRound' });
    end('c');
    assert.deepEqual(told(), ['start a', 'planOver', 'start c', 'planOver']);
    assert.deepEqual(state().run.current?.outcomes, { ready: 2, error: 0, cancelled: 0 });
  });

  it('knows every question that was asked, each until its own cell runs', () => {
    const { go, request, plan, end, state } = play({ a: [], b: [] });
    go({ type: 'prompted', planId: 'p', cellId: 'a' });
    go({ type: 'prompted', planId: 'q', cellId: 'b' });
    request('a');
    plan({ steps: ['a'] });
    end('a');
    go({ type: 'released' });
    assert.deepEqual([...state().run.prompted], [['q', 'b']]);
    for (let n = 0; n < 40; n += 1) go({ type: 'prompted', planId: `${n}`, cellId: 'a' });
    assert.deepEqual([state().run.prompted.size, state().run.prompted.has('q')], [32, false]);
  });
});

describe('whether a cell may run', () => {
  const clear = { hold: undefined, hasDirectory: true, environment: null };
  const hold = { root: '/notebooks', secondsLeft: 3 };

  it('is decided by what lies around it first, then by what runs', () => {
    const { request, plan, state } = play({ a: [], b: [] });
    const objection = (around: object, cellId: string | null = 'b') =>
      objectionToRun(state(), { ...clear, ...around }, cellId);
    assert.equal(objection({}), null);
    assert.deepEqual(objection({}, 'gone'), { type: 'unknownCell', cellId: 'gone' });
    assert.deepEqual(objection({ environment: 'Packages are being added.' }), {
      type: 'environment',
      reason: 'Packages are being added.',
    });
    request('b');
    assert.deepEqual(objection({}), { type: 'running', cellId: 'b' });
    plan();
    assert.deepEqual(objection({}, null), { type: 'running', cellId: 'a' });
    assert.deepEqual(objection({ hold, hasDirectory: false }), { type: 'held', ...hold });
    assert.deepEqual(objection({ hasDirectory: false }), { type: 'noDirectory' });
  });
});

interface ModelRun {
  waiting: Set<string>;
  running: Set<string>;
  unreached: Set<string>;
  /** Deleted for a while at least: whether such a cell is run is its own affair. */
  missed: Set<string>;
  isPlanned: boolean;
  isEnding: boolean;
  isCancelled: boolean;
  afterFailure: AfterFailure;
  isOver: boolean;
}

function held<T>(value: T | null): T {
  assert.ok(value);
  return value;
}

/** What must hold whatever happens, kept track of without looking into the state. */
function createModel(sketch: Sketch, atOnce: number) {
  const all = Object.keys(sketch);
  let cells = new Set(all);
  let run: ModelRun | null = null;
  let isClosed = false;

  const readsFrom = (id: string, other: string): boolean =>
    (sketch[id] ?? []).some((from) => cells.has(from) && (from === other || readsFrom(from, other)));

  return {
    isRunning: () => run !== null,
    isClosed: () => isClosed,
    running: () => [...(run?.running ?? [])],
    canPlan: () => run !== null && run.running.size === 0 && (!run.isPlanned || run.isOver),
    deleted(id: string) {
      cells.delete(id);
      run?.missed.add(id);
    },
    restored: () => {
      cells = new Set(all);
    },
    requested() {
      run = {
        waiting: new Set(),
        running: new Set(),
        unreached: new Set(),
        missed: new Set(),
        isPlanned: false,
        isEnding: false,
        isCancelled: false,
        afterFailure: 'end',
        isOver: false,
      };
    },
    planned(afterFailure: AfterFailure) {
      run = {
        ...held(run),
        waiting: new Set(all),
        unreached: new Set(),
        missed: new Set(all.filter((id) => !cells.has(id))),
        isPlanned: true,
        isOver: false,
        isEnding: held(run).isCancelled,
        afterFailure,
      };
    },
    ended(id: string, as: 'ready' | 'error' | 'cancelled') {
      const now = held(run);
      assert.ok(now.running.delete(id));
      if (as === 'error') for (const other of cells) if (readsFrom(other, id)) now.unreached.add(other);
      if (as === 'cancelled' || (as === 'error' && now.afterFailure === 'end')) now.isEnding = true;
    },
    cancelled() {
      if (run) Object.assign(run, { isEnding: true, isCancelled: true });
    },
    closed() {
      isClosed = true;
      if (run) Object.assign(run, { isEnding: true, isCancelled: true });
    },
    released() {
      run = null;
    },
    /** Follows what was to be done, and holds each against the rules. */
    follow(actions: readonly RunAction[]) {
      for (const action of actions) {
        if (action.type === 'abort') continue;
        assert.ok(run, 'nothing is done without a run');
        const now = run;
        if (action.type === 'planOver') {
          assert.equal(now.running.size, 0, 'a plan is over when nothing runs');
          now.isOver = true;
          continue;
        }
        const { cellId } = action;
        assert.ok(now.waiting.delete(cellId), `${cellId} comes once`);
        assert.ok(cells.has(cellId), `${cellId} is there`);
        const missing = (sketch[cellId] ?? []).filter(
          (id) => now.running.has(id) || (now.waiting.has(id) && !now.missed.has(id)),
        );
        assert.deepEqual(missing, [], `${cellId} waits for what it reads from`);
        assert.equal(action.type === 'passOver', now.unreached.has(cellId));
        if (action.type !== 'start') continue;
        assert.ok(!now.isEnding, 'nothing starts in a run that ends');
        now.running.add(cellId);
        assert.ok(now.running.size <= atOnce);
      }
      if (run?.isPlanned && !run.isOver)
        assert.ok(run.running.size > 0, 'a plan that is not over has something running');
      if (run?.isOver && !run.isEnding)
        assert.deepEqual(
          [...run.waiting].filter((id) => cells.has(id) && !run?.missed.has(id)),
          [],
          'a plan that went well has left nothing out',
        );
    },
  };
}

type Event = 'run' | 'plan' | 'end' | 'fail' | 'edit' | 'cancel' | 'delete' | 'job' | 'close';
const events: readonly Event[] = ['run', 'plan', 'end', 'fail', 'edit', 'cancel', 'delete', 'job', 'close'];

/** Lets events happen to one notebook, and holds what is done against the model after each. */
function live(sketch: Sketch, atOnce: number, choose: (several: number) => number) {
  const { go, edit, state } = play(sketch);
  const model = createModel(sketch, atOnce);
  let now: Record<string, readonly string[]> = { ...sketch };
  let environment: string | null = null;

  function settle(actions: readonly RunAction[]): void {
    model.follow(actions);
    if (!actions.some(({ type }) => type === 'planOver') || choose(2) === 0) return;
    go({ type: 'released' });
    model.released();
  }

  return function happens(event: Event): void {
    const running = model.running();
    const one = running[choose(Math.max(1, running.length))];
    switch (event) {
      case 'run': {
        const objection = objectionToRun(state(), { hold: undefined, hasDirectory: true, environment }, null);
        const expected =
          environment !== null
            ? 'environment'
            : model.isClosed()
              ? 'closed'
              : model.isRunning()
                ? 'running'
                : undefined;
        assert.equal(objection?.type, expected);
        if (objection) return;
        assert.equal(go({ type: 'requested', requested: null, cells: Object.keys(now) }).refusal, null);
        model.requested();
        return;
      }
      case 'plan': {
        if (!model.canPlan()) return;
        const afterFailure = choose(2) === 0 ? 'end' : 'goRound';
        model.planned(afterFailure);
        const plan = { steps: Object.keys(sketch), waitsFor: (id: string) => sketch[id] ?? [], atOnce };
        settle(go({ type: 'planned', plan, afterFailure }).actions);
        return;
      }
      case 'end':
      case 'fail': {
        if (one === undefined) return;
        const as = event === 'end' ? 'ready' : 'error';
        model.ended(one, as);
        settle(go({ type: 'ended', cellId: one, as }).actions);
        return;
      }
      case 'cancel': {
        const { actions, refusal } = go({ type: 'cancelled', cellId: null });
        assert.equal(refusal?.type, model.isRunning() ? undefined : 'notRunning');
        model.cancelled();
        model.follow(actions);
        return;
      }
      case 'delete': {
        const ids = Object.keys(now).filter((id) => !running.includes(id));
        const gone = ids[choose(Math.max(1, ids.length))];
        if (gone === undefined) return;
        const { [gone]: _gone, ...left } = now;
        now = Object.fromEntries(Object.entries(left).map(([id, reads]) => [id, reads.filter((from) => from in left)]));
        edit(now);
        model.deleted(gone);
        return;
      }
      case 'edit':
        now = { ...sketch };
        edit(now);
        model.restored();
        return;
      case 'job':
        environment = environment === null ? 'A job runs.' : null;
        return;
      case 'close':
        model.closed();
        model.follow(go({ type: 'closed' }).actions);
        return;
    }
  };
}

describe('runs', () => {
  it('hold in every order in which things can happen', () => {
    const depth = 6;
    let count = 0;
    const go = (before: readonly Event[]): void => {
      const happens = live({ a: [], b: ['a'], c: [] }, 2, () => 0);
      try {
        for (const event of before) happens(event);
      } catch (error) {
        throw new Error(`after ${before.join(', ')}`, { cause: error });
      }
      count += 1;
      if (before.length < depth) for (const event of events) go([...before, event]);
    };
    // A request comes first: nothing happens before.
    for (const event of events) go(['run', event]);
    assert.equal(count, (9 * (9 ** 5 - 1)) / 8);
  });

  it('hold in notebooks and orders of events that nobody thought of', (t) => {
    const random = createRandom((line) => t.diagnostic(line));
    for (let round = 0; round < 300; round += 1) {
      const happens = live(randomSketch(random), 1 + random.below(3), (several) => random.below(several));
      const likely = [
        ...events.filter((event) => event !== 'close'),
        'run',
        'plan',
        'end',
        'end',
        'end',
        'end',
      ] as const;
      for (let step = 0; step < 80; step += 1) happens(likely[random.below(likely.length)] ?? 'end');
      happens('close');
      happens('run');
    }
  });
});

function randomSketch(random: RandomSource): Sketch {
  const ids = Array.from({ length: 1 + random.below(8) }, (_, index) => `c${index}`);
  return Object.fromEntries(ids.map((id, index) => [id, ids.slice(0, index).filter(() => random.below(3) === 0)]));
}
