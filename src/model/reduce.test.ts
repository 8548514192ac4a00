// The model of a notebook: frames and typing in, one value out.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CellRecord, KnownFrame, NotebookState } from '../protocol/index.ts';
import { emptyModel, type NotebookModel, textOf } from './model.ts';
import {
  failedAbove,
  labelOf,
  outdated,
  redefinitions,
  stoppedAfter,
  warningsOf,
  whereInWords,
  whyStale,
} from './readings.ts';
import { reduce, type StoreEvent } from './reduce.ts';

const record = (id: string, source: string, more: Partial<CellRecord> = {}): CellRecord => ({
  id,
  source,
  test_source: '',
  language: 'python',
  order: 0,
  created_by: null,
  updated_by: null,
  status: 'idle',
  defines: [],
  references: [],
  mutation_defines: [],
  builtin_references: [],
  upstream_ids: [],
  downstream_ids: [],
  worker: null,
  worker_override: null,
  timeout: null,
  timeout_override: null,
  env: {},
  env_overrides: {},
  variant_group: null,
  variant_name: null,
  variant_active: true,
  annotation_diagnostics: [],
  is_leaf: true,
  staleness: null,
  staleness_reasons: [],
  artifact_uri: null,
  artifact_uris: {},
  display_outputs: [],
  display_output: null,
  console_stdout: '',
  console_stderr: '',
  error: null,
  cache_hit: false,
  execution_method: null,
  ...more,
});

const state = (...cells: CellRecord[]): NotebookState => ({
  id: 'n',
  name: 'First',
  session_id: 's',
  path: '/first',
  cells,
  dag: { edges: [], topological_order: [], leaves: [], roots: [], variable_producer: {} },
  variant_groups: [],
  environment: { sync_state: 'ready' },
  environment_job: null,
  environment_job_history: [],
});

const twoCells = state(
  record('a', 'x = 1', { defines: ['x'], status: 'ready' }),
  record('b', 'x + 1', { references: ['x'], upstream_ids: ['a'] }),
);

const play = (model: NotebookModel, ...events: StoreEvent[]): NotebookModel => events.reduce(reduce, model);
const opened = (of: NotebookState = twoCells): NotebookModel =>
  play(emptyModel, { kind: 'loaded', state: of }, { kind: 'connection', connection: 'live' });

type Unnumbered = KnownFrame extends infer Frame
  ? Frame extends KnownFrame
    ? Omit<Frame, 'seq' | 'ts'>
    : never
  : never;

const frames = (first: number, ...list: Unnumbered[]): StoreEvent => ({
  kind: 'frames',
  frames: list.map((frame, index) => ({ ...frame, seq: first + index, ts: '' })),
});

const graph = (source: string | null): Unnumbered => ({
  type: 'dag_update',
  payload: {
    edges: [{ from_cell_id: 'a', to_cell_id: 'b', variable: 'x' }],
    roots: ['a'],
    leaves: ['b'],
    topological_order: ['a', 'b'],
    variant_groups: [],
    cells: ['a', 'b'].map((id) => ({
      id,
      defines: id === 'a' ? ['x'] : [],
      references: id === 'b' ? ['x'] : [],
      upstream_ids: id === 'b' ? ['a'] : [],
      downstream_ids: id === 'a' ? ['b'] : [],
      is_leaf: id === 'b',
      annotation_diagnostics: [],
      shadow_warnings: [],
      variant_group: null,
      variant_name: null,
      variant_active: true,
      is_module_cell: false,
      module_exports: null,
      created_by: null,
      updated_by: null,
      source: id === 'a' ? source : null,
    })),
  },
});

describe('numbers of frames', () => {
  it('a hole asks for the state, which closes it', () => {
    const holed = play(
      opened(),
      frames(7, { type: 'notebook_state', payload: twoCells }),
      frames(9, { type: 'cell_status', payload: { cell_id: 'b', status: 'running' } }),
    );
    assert.deepEqual([holed.lastSeq, holed.needsSync, holed.cells.get('b')?.status], [9, true, 'running']);
    const synced = play(holed, frames(10, { type: 'notebook_state', payload: twoCells }));
    assert.deepEqual([synced.lastSeq, synced.needsSync, synced.cells.get('b')?.status], [10, false, 'idle']);
  });

  it('a frame that comes twice counts once', () => {
    const text = {
      type: 'cell_console',
      payload: { cell_id: 'a', stream: 'stdout', text: 'hi', chunk_seq: 1 },
    } as const;
    const model = play(opened(), frames(4, text), frames(4, text), frames(3, text));
    assert.equal(model.cells.get('a')?.stdout, 'hi');
  });

  it('a new connection may begin at any number', () => {
    const model = play(
      opened(),
      frames(40, { type: 'cell_status', payload: { cell_id: 'a', status: 'running' } }),
      { kind: 'connection', connection: 'offline' },
      { kind: 'connection', connection: 'live' },
      frames(12, { type: 'cell_status', payload: { cell_id: 'a', status: 'ready' } }),
    );
    assert.deepEqual([model.cells.get('a')?.status, model.lastSeq, model.needsSync], ['ready', 12, true]);
  });
});

describe('controls', () => {
  const controls = state(
    record('w', 'k = slider(0, 9)', {
      language: 'widget',
      widget: { descriptors: [{ name: 'k', kind: 'slider', default: 0, params: {} }], values: {} },
    }),
  );
  const ran: Unnumbered = {
    type: 'cell_output',
    payload: {
      cell_id: 'w',
      outputs: { k: { content_type: 'json/object', preview: 7 } },
      stdout: '',
      stderr: '',
      cache_hit: false,
      duration_ms: 1,
      execution_method: 'widget',
      artifact_uri: null,
      artifact_uris: {},
      mutation_warnings: [],
    },
  };

  it('say what their cell gave', () => {
    assert.deepEqual(play(opened(controls), frames(1, ran)).cells.get('w')?.widget?.values, { k: 7 });
  });

  it('are asked for again when their source is another', () => {
    const model = play(
      opened(controls),
      frames(1, { type: 'notebook_state', payload: controls }),
      { kind: 'typed', cellId: 'w', text: 'm = slider(0, 9)' },
      { kind: 'sent', cellId: 'w' },
      frames(2, graph(null)),
    );
    assert.equal(model.needsSync, true);
  });
});

describe('a question about the cells above', () => {
  it('is over when the cell runs, whoever let it', () => {
    const asked = play(
      opened(),
      frames(1, {
        type: 'cascade_prompt',
        payload: { cell_id: 'b', plan_id: 'p', cells_to_run: ['a', 'b'], estimated_duration_ms: 5 },
      }),
    );
    const others = play(asked, frames(2, { type: 'cell_status', payload: { cell_id: 'a', status: 'running' } }));
    const own = play(others, frames(3, { type: 'cell_status', payload: { cell_id: 'b', status: 'running' } }));
    assert.deepEqual(
      [asked, others, own].map(({ cascades }) => cascades.map(({ cell_id }) => cell_id)),
      [['b'], ['b'], []],
    );
  });

  it('stays when another is asked, and is answered by itself', () => {
    const prompt = (cell_id: string, plan_id: string) => ({
      type: 'cascade_prompt' as const,
      payload: { cell_id, plan_id, cells_to_run: ['a', cell_id], estimated_duration_ms: 5 },
    });
    const both = play(opened(), frames(1, prompt('b', 'p')), frames(2, prompt('c', 'q')), frames(3, prompt('b', 'r')));
    const plans = ({ cascades }: NotebookModel): string[] => cascades.map(({ plan_id }) => plan_id);
    assert.deepEqual(plans(both), ['q', 'r']);
    assert.deepEqual(plans(play(both, { kind: 'cascadeAnswered', cellId: 'b' })), ['q']);
  });
});

describe('a question about a large read', () => {
  it('is over when a cell of it runs, or when it was answered', () => {
    const asked = play(
      opened(),
      frames(1, {
        type: 'read_confirm_prompt',
        payload: {
          prompt_id: 'p',
          cells: [{ cell_id: 'b', machine: 'local', inputs: [], bytes_to_move: 5, cost: 0 }],
        },
      }),
    );
    const others = play(asked, frames(2, { type: 'cell_status', payload: { cell_id: 'a', status: 'running' } }));
    const own = play(others, frames(3, { type: 'cell_status', payload: { cell_id: 'b', status: 'running' } }));
    const dismissed = play(asked, { kind: 'dismissed', what: 'reads' });
    assert.deepEqual(
      [asked, others, own, dismissed].map(({ reads }) => reads?.prompt_id),
      ['p', 'p', undefined, undefined],
    );
  });
});

describe('a run', () => {
  it('keeps what was printed in the order in which it was heard, while nothing of it was missed', () => {
    const said = (stream: 'stdout' | 'stderr', text: string, chunk_seq: number) =>
      ({ type: 'cell_console', payload: { cell_id: 'a', stream, text, chunk_seq } }) as const;
    const heard = play(
      opened(),
      frames(
        1,
        { type: 'cell_status', payload: { cell_id: 'a', status: 'running' } },
        said('stdout', 'one\n', 0),
        said('stderr', 'careful\n', 0),
        said('stdout', 'two', 1),
        said('stdout', '\n', 2),
      ),
    );
    const inOrder = [
      { stream: 'stdout', text: 'one\n' },
      { stream: 'stderr', text: 'careful\n' },
      { stream: 'stdout', text: 'two\n' },
    ];
    assert.deepEqual(heard.cells.get('a')?.printed, inOrder);
    const ended = (stdout: string) =>
      play(
        heard,
        frames(6, { type: 'cell_error', payload: { cell_id: 'a', error: 'E: x', stdout, stderr: 'careful\n' } }),
      ).cells.get('a')?.printed;
    assert.deepEqual(ended('one\ntwo\n'), inOrder);
    assert.deepEqual(ended('zero\none\ntwo\n'), [
      { stream: 'stdout', text: 'zero\none\ntwo\n' },
      { stream: 'stderr', text: 'careful\n' },
    ]);
  });

  it('clears the console, fills it live and ends with the result', () => {
    const model = play(
      opened(),
      frames(
        1,
        { type: 'cell_status', payload: { cell_id: 'a', status: 'running' } },
        { type: 'cell_console', payload: { cell_id: 'a', stream: 'stdout', text: 'one\n', chunk_seq: 0 } },
        { type: 'cell_console', payload: { cell_id: 'a', stream: 'stdout', text: 'two\n', chunk_seq: 1 } },
      ),
    );
    assert.equal(model.cells.get('a')?.stdout, 'one\ntwo\n');
    const done = play(
      model,
      frames(
        4,
        {
          type: 'cell_output',
          payload: {
            cell_id: 'a',
            stdout: 'one\ntwo\n',
            stderr: '',
            outputs: {},
            cache_hit: false,
            duration_ms: 12,
            artifact_uri: null,
            execution_method: 'warm',
            mutation_warnings: [],
            displays: [{ content_type: 'json/object', preview: 2 }],
            artifact_uris: {},
          },
        },
        { type: 'cell_status', payload: { cell_id: 'a', status: 'ready', staleness_reasons: [] } },
      ),
    );
    const cell = done.cells.get('a');
    assert.deepEqual(
      [cell?.status, cell?.durationMs, cell?.displays.length, cell?.startedAt, cell?.problem],
      ['ready', 12, 1, null, null],
    );
  });

  it('keeps what a stopped run printed, until the cell runs again', () => {
    const running: Unnumbered = { type: 'cell_status', payload: { cell_id: 'a', status: 'running' } };
    const idle = record('a', 'x = 1', { defines: ['x'], status: 'idle' });
    const whole: Unnumbered = { type: 'notebook_state', payload: state(idle, record('c', '')) };
    const stopped = play(
      opened(),
      frames(
        1,
        { type: 'notebook_state', payload: twoCells },
        running,
        { type: 'cell_console', payload: { cell_id: 'a', stream: 'stdout', text: 'half\n', chunk_seq: 0 } },
        { type: 'cell_status', payload: { cell_id: 'a', status: 'idle', staleness_reasons: [] } },
        whole,
      ),
    );
    assert.deepEqual(stopped.cells.get('a')?.printed, [{ stream: 'stdout', text: 'half\n' }]);
    assert.equal(play(stopped, frames(6, running, whole)).cells.get('a')?.stdout, '');
  });

  it('is called after what it makes, and speaks of what it makes a second time', () => {
    const again = ["Variable 'pd' shadows definition from cell a", "Variable 'sales' shadows definition from cell a"];
    const defines = ['pd', 'sales'];
    const model = opened(
      state(
        record('a', 'import pandas as pd\nsales = pd.read_csv("sales.csv")', { defines }),
        record('b', 'import pandas as pd\nsales = pd.DataFrame()', { defines, shadow_warnings: again }),
        record('c', 'import os', { defines: ['os'] }),
        record('d', 'from math import (\n  sin,\n  cos,\n)\nwave = sin(1)', { defines: ['sin', 'cos', 'wave'] }),
      ),
    );
    assert.deepEqual(
      ['a', 'b', 'c', 'd'].map((id) => labelOf(model, id)),
      ['sales', 'sales', 'os', 'wave'],
    );
    const cell = model.cells.get('b');
    assert.deepEqual(cell && redefinitions(model, cell), [
      '`sales` is also defined in cell 1; later cells use this one',
    ]);
  });

  it('names the failed cell that it cannot run without, however far above', () => {
    const model = play(
      opened(),
      frames(1, {
        type: 'notebook_state',
        payload: state(
          record('a', 'x = 1 / 0', { status: 'error' }),
          record('b', 'y = x', { upstream_ids: ['a'] }),
          record('c', 'y', { upstream_ids: ['b'], status: 'stale' }),
          record('d', 'z = 1', { status: 'ready' }),
          record('e', 'z', { upstream_ids: ['d'] }),
        ),
      }),
    );
    assert.deepEqual(
      [...model.cells.values()].map((cell) => failedAbove(model, cell)),
      [null, 'a', 'a', null, null],
    );
  });

  it('tells of a value that it changed in place, unless it hands it on', () => {
    const warning = "'scores' was mutated in place (no reassignment); other cells keep seeing it as it was stored.";
    const model = play(
      opened(),
      frames(1, {
        type: 'notebook_state',
        payload: state(record('a', 'scores.append(1)'), record('b', 'scores = scores', { defines: ['scores'] })),
      }),
    );
    const told = [...model.cells.values()].map((cell) => warningsOf({ ...cell, mutationWarnings: [warning] }));
    assert.deepEqual(told, [['`scores` was changed here; other cells keep the original'], []]);
  });

  it('of nothing is never out of date', () => {
    const stale: Partial<CellRecord> = { causality: { reason: 'env', details: [{ type: 'env_changed' }] } };
    const model = play(
      opened(),
      frames(1, { type: 'notebook_state', payload: state(record('a', ' \n', stale), record('b', 'x', stale)) }),
    );
    assert.deepEqual(
      [...model.cells.values()].map((cell) => whyStale(model, cell)),
      [null, 'the environment changed'],
    );
  });

  it('that somebody stops tells how long it ran, until it runs again or its text is another', (t) => {
    t.mock.timers.enable({ apis: ['Date'], now: 1000 });
    const running: Unnumbered = { type: 'cell_status', payload: { cell_id: 'b', status: 'running' } };
    const idle: Unnumbered = { type: 'cell_status', payload: { cell_id: 'b', status: 'idle', staleness_reasons: [] } };
    const started = play(opened(), frames(1, { type: 'notebook_state', payload: twoCells }, running));
    t.mock.timers.tick(2500);
    const after = (model: NotebookModel) => stoppedAfter(model.cells.get('b') ?? assert.fail());
    const stopped = play(started, frames(3, idle, { type: 'notebook_state', payload: twoCells }));
    assert.deepEqual([after(started), after(stopped)], [null, 2500]);
    assert.equal(after(play(stopped, frames(5, running))), null);
    const edited = state(record('a', 'x = 1'), record('b', 'x + 2'));
    assert.equal(after(play(stopped, frames(5, { type: 'notebook_state', payload: edited }))), null);
    // It may have ended by itself: the frame that told is missing.
    assert.equal(after(play(started, frames(4, idle))), null);
    const failed: Unnumbered = { type: 'cell_error', payload: { cell_id: 'b', error: 'E: x', stdout: '', stderr: '' } };
    assert.equal(after(play(started, frames(3, failed, idle))), null);
  });

  it('on a worker begins once, however often the worker tells how it goes', () => {
    const running = (more: object): Unnumbered => ({
      type: 'cell_status',
      payload: { cell_id: 'a', status: 'running', ...more },
    });
    const model = play(
      opened(),
      frames(
        1,
        running({}),
        { type: 'cell_console', payload: { cell_id: 'a', stream: 'stdout', text: 'one\n', chunk_seq: 0 } },
        running({ remote_worker: 'far', remote_build_state: 'building' }),
      ),
    );
    assert.equal(model.cells.get('a')?.stdout, 'one\n');
  });

  it('on a worker says where it is, until it has ended', () => {
    const told = (more: object): Unnumbered => ({
      type: 'cell_status',
      payload: { cell_id: 'a', status: 'running', remote_worker: 'far', ...more },
    });
    const steps = [
      told({ remote_build_state: 'starting' }),
      told({ remote_build_state: 'starting', remote_queue_position: 2 }),
      told({
        remote_build_state: 'starting',
        remote_queue_position: 2,
        remote_queue_detail: 'waiting for slurm, #2 (Resources)',
      }),
      told({ remote_build_state: 'running' }),
      told({ remote_build_state: 'running', remote_queue_detail: 'running on n1' }),
    ];
    const started: Unnumbered = { type: 'cell_status', payload: { cell_id: 'a', status: 'running' } };
    const where = (...after: Unnumbered[]): string => {
      const cell = play(opened(), frames(1, started, ...after)).cells.get('a');
      return cell ? whereInWords(cell) : '';
    };
    assert.deepEqual(
      [where(), ...steps.map((step) => where(step))],
      [
        'running',
        'starting on far',
        'waiting for far, #2',
        'waiting for slurm, #2 (Resources)',
        'running on far',
        'running on n1',
      ],
    );
    const ended: Unnumbered = { type: 'cell_status', payload: { cell_id: 'a', status: 'ready' } };
    assert.equal(play(opened(), frames(1, started, ...steps, ended)).cells.get('a')?.remote, null);
    const running = record('a', '', { status: 'running', remote_worker: 'far', remote_build_state: 'starting' });
    const late = play(opened(), frames(1, { type: 'notebook_state', payload: state(running) })).cells.get('a');
    assert.deepEqual(late?.remote, { worker: 'far', isRunning: false, position: null, detail: null });
  });

  it('tells where an error came from, and what was missing', () => {
    const model = play(
      opened(),
      frames(
        1,
        {
          type: 'cell_error',
          payload: {
            cell_id: 'b',
            stdout: '',
            stderr: '',
            error: "ModuleNotFoundError: No module named 'plotly'",
            error_type: 'ModuleNotFoundError',
            traceback: [{ cell_id: 'b', line: 1, function: '<module>', text: 'import plotly' }],
            suggest_install: 'plotly',
            suggest_install_also: ['scikit-learn'],
          },
        },
        { type: 'cell_status', payload: { cell_id: 'b', status: 'error' } },
      ),
    );
    assert.deepEqual(model.cells.get('b')?.problem, {
      type: 'ModuleNotFoundError',
      message: "No module named 'plotly'",
      frames: [{ cell_id: 'b', line: 1, function: '<module>', text: 'import plotly' }],
      text: "ModuleNotFoundError: No module named 'plotly'",
      install: { package: 'plotly', language: 'python', also: ['scikit-learn'] },
    });
  });

  it('offers what is told to help a cell, not what its text would say', () => {
    const text = "ModuleNotFoundError: No module named 'plotly'";
    const installOf = (told: object) =>
      opened(state(record('b', '', { status: 'error', error: text, ...told }))).cells.get('b')?.problem?.install;
    const plotly = { package: 'plotly', language: 'python' };
    const also = ['scikit-learn'];
    assert.deepEqual(installOf({ suggest_install: 'plotly', suggest_install_also: also }), { ...plotly, also });
    assert.equal(installOf({ suggest_install: null }), null);
    assert.deepEqual(installOf({}), plotly, 'one that was kept without it');
  });

  it('reads the places out of a traceback that comes with the state', () => {
    const text =
      'Traceback (most recent call last):\n  File "<cell b>", line 3, in <module>\n    1/0\nZeroDivisionError: division by zero';
    const model = opened(state(record('b', '', { status: 'error', error: text })));
    assert.deepEqual(model.cells.get('b')?.problem, {
      type: 'ZeroDivisionError',
      message: 'division by zero',
      frames: [{ cell_id: 'b', line: 3, function: '<module>', text: '1/0' }],
      text,
      install: null,
    });
  });

  it('knows the package of a module that was missing before the page came', () => {
    const installOf = (error: string) =>
      opened(state(record('b', '', { status: 'error', error }))).cells.get('b')?.problem?.install;
    assert.deepEqual(installOf("ModuleNotFoundError: No module named 'sklearn.svm'"), {
      package: 'scikit-learn',
      language: 'python',
    });
    assert.deepEqual(installOf('Error: there is no package called ‘dplyr’'), { package: 'dplyr', language: 'r' });
  });
});

describe('typing', () => {
  const typing = (text: string): StoreEvent => ({ kind: 'typed', cellId: 'a', text });
  const sending: StoreEvent = { kind: 'sent', cellId: 'a' };

  it('is kept until the server has it', () => {
    const model = play(opened(), typing('x = 2'), sending, typing('x = 23'));
    assert.deepEqual([textOf(model, 'a'), model.drafts.get('a')?.sent], ['x = 23', ['x = 2']]);
    const acknowledged = play(model, frames(1, graph(null)));
    assert.deepEqual(
      [textOf(acknowledged, 'a'), acknowledged.drafts.get('a')?.base, acknowledged.drafts.get('a')?.sent],
      ['x = 23', 'x = 2', []],
    );
    const settled = play(acknowledged, sending, frames(2, graph(null)));
    assert.deepEqual([textOf(settled, 'a'), settled.drafts.size, settled.sentOrder], ['x = 23', 0, []]);
  });

  it('may be sent again while the server still reads what was sent before', () => {
    const model = play(opened(), typing('x = 2'), sending, typing('x = 23'), sending);
    const twice = model.drafts.get('a');
    assert.deepEqual([twice?.base, twice?.sent, model.sentOrder], ['x = 1', ['x = 2', 'x = 23'], ['a', 'a']]);
    const once = play(model, frames(1, graph(null)));
    assert.deepEqual([once.drafts.get('a')?.base, once.drafts.get('a')?.sent], ['x = 2', ['x = 23']]);
    assert.deepEqual(play(once, frames(2, graph(null))).drafts.size, 0);

    const payload = { error: 'Changed meanwhile.', code: 'source_changed', cell_id: 'a', source: 'theirs' };
    const crossed = play(model, frames(1, { type: 'error', payload }), frames(2, { type: 'error', payload }));
    const { text, sent, theirs } = crossed.drafts.get('a') ?? {};
    assert.deepEqual([text, sent, theirs, crossed.sentOrder], ['x = 23', [], 'theirs', []]);
  });

  it('that goes back to what the server has is no draft', () => {
    assert.equal(play(opened(), typing('x = 2'), typing('x = 1')).drafts.size, 0);
  });

  it('is set beside what somebody else wrote meanwhile', () => {
    const model = play(opened(), typing('mine'), frames(1, graph('theirs')));
    assert.deepEqual([textOf(model, 'a'), model.drafts.get('a')?.theirs], ['mine', 'theirs']);
    assert.equal(textOf(play(model, { kind: 'tookTheirs', cellId: 'a' }), 'a'), 'theirs');
    const kept = play(model, { kind: 'keptMine', cellId: 'a' });
    assert.deepEqual(
      [textOf(kept, 'a'), kept.drafts.get('a')?.theirs, kept.drafts.get('a')?.base],
      ['mine', null, 'theirs'],
    );
    const both = play(model, typing('theirs'), { kind: 'keptMine', cellId: 'a' });
    assert.deepEqual([textOf(both, 'a'), both.drafts.size], ['theirs', 0], 'what they wrote waits for nobody');
  });

  it('that was refused stays, with the reason', () => {
    const refusal = { error: 'Ann is editing this cell.', code: 'cell_locked', cell_id: 'a', held_by: 'ann' };
    const model = play(opened(), typing('mine'), sending, frames(1, { type: 'error', payload: refusal }));
    assert.deepEqual(model.drafts.get('a')?.refused, {
      message: 'Ann is editing this cell.',
      heldBy: 'ann',
      isBusy: false,
    });
    assert.deepEqual([textOf(model, 'a'), model.sentOrder], ['mine', []]);
  });

  it('that crossed another on its way is set beside it', () => {
    const payload = { error: 'Changed meanwhile.', code: 'source_changed', cell_id: 'a', source: 'theirs' };
    const model = play(opened(), typing('mine'), sending, frames(1, { type: 'error', payload }));
    assert.deepEqual([textOf(model, 'a'), model.drafts.get('a')?.theirs, model.sentOrder], ['mine', 'theirs', []]);
  });

  it('that arrived before a break is not taken for somebody else’s', () => {
    const payload = { error: 'Changed meanwhile.', code: 'source_changed', cell_id: 'a', source: 'mine' };
    const again = play(opened(), typing('mine'), sending, typing('mine, longer'), {
      kind: 'connection',
      connection: 'live',
    });
    const model = play(again, frames(1, { type: 'error', payload }));
    const { text, base, theirs } = model.drafts.get('a') ?? {};
    assert.deepEqual([text, base, theirs], ['mine, longer', 'mine', null]);
  });

  it('is sent again after a break', () => {
    const model = play(opened(), typing('mine'), sending, { kind: 'connection', connection: 'live' });
    assert.deepEqual([model.drafts.get('a')?.sent, model.sentOrder], [[], []]);
  });

  it('in a cell that somebody deletes is kept aside', () => {
    const rest = state(record('b', ''));
    const model = play(opened(), typing('mine'), frames(1, { type: 'notebook_state', payload: rest }));
    const from = { cellId: 'a', base: 'x = 1' };
    const [kept] = [{ language: 'python', text: 'mine', from }];
    assert.deepEqual([model.orphans, model.drafts.size, model.order], [[kept], 0, ['b']]);
    const keys = [' ', '+', '2', 'Backspace', '3', 'Enter'].map((key) => ({ kind: 'wroteOn', key }) as const);
    assert.deepEqual(play(model, ...keys).orphans, [{ ...kept, text: 'mine +3\n' }]);
    const signs = ['🐙', '🐙', 'Backspace'].map((key) => ({ kind: 'wroteOn', key }) as const);
    assert.deepEqual(play(model, ...signs).orphans, [{ ...kept, text: 'mine🐙' }]);
  });

  it('in a cell whose deletion is taken back is in it again, and beside what others wrote in it', () => {
    const without = frames(1, { type: 'notebook_state', payload: state(record('b', '')) });
    const back = (source: string) =>
      frames(2, { type: 'notebook_state', payload: state(record('a', source), record('b', '')) });
    const model = play(opened(), typing('mine'), without);
    const home = play(model, back('x = 1'));
    assert.deepEqual([home.orphans, textOf(home, 'a'), home.drafts.get('a')?.base], [[], 'mine', 'x = 1']);
    const crossing = play(model, back('theirs'));
    assert.deepEqual([textOf(crossing, 'a'), crossing.drafts.get('a')?.theirs], ['mine', 'theirs']);
    const same = play(model, back('mine'));
    assert.deepEqual([same.orphans, same.drafts.size], [[], 0], 'the server has it');
    const elsewhere = play(model, { kind: 'orphaned', orphan: { language: 'python', text: 'other' } }, back('x = 1'));
    assert.deepEqual(elsewhere.orphans, [{ language: 'python', text: 'other' }]);
  });
});

describe('readings', () => {
  it('say why a cell is not up to date', () => {
    const model = opened(
      state(
        record('a', '# @name load\nsales = 1', { defines: ['sales'], status: 'ready' }),
        record('b', 'sales', {
          references: ['sales'],
          status: 'stale',
          causality: { reason: 'upstream', details: [{ type: 'input_changed', cell_id: 'a', cell_name: 'sales' }] },
        }),
        record('c', 'y', { causality: { reason: 'self', details: [{ type: 'source_changed', cell_id: 'c' }] } }),
        record('d', ''),
        record('e', 'sales', {
          status: 'stale',
          causality: { reason: 'upstream', details: [{ type: 'large_read', bytes: 5e9 }] },
        }),
        record('f', 'import pandas as pd\nprices = pd.Series([1])', { defines: ['pd', 'prices'], status: 'ready' }),
        record('g', '# @name mean\nmean = pd.isna(prices)', {
          references: ['pd', 'prices'],
          status: 'stale',
          causality: { reason: 'upstream', details: [{ type: 'input_changed', cell_id: 'f', cell_name: 'pd' }] },
        }),
        record('h', 'z = 1', {
          causality: { reason: 'self', details: [{ type: 'source_changed', cell_id: 'h', unkept: true }] },
        }),
      ),
    );
    assert.deepEqual(
      [...model.cells.values()].map((cell) => whyStale(model, cell)),
      [
        null,
        'sales changed in load',
        'edited since it ran',
        null,
        'it would read 4.7 GB: run it yourself to be asked',
        null,
        'prices changed',
        'not computed yet',
      ],
    );
    assert.equal(outdated(model).count, 5);
  });
});

describe('a console of which only the end is told', () => {
  const [whole, end] = ['0123456789'.repeat(1000), '0123456789'.repeat(100)];
  const byReference = state(record('a', 'print', { console_stdout: end, console_stdout_length: whole.length }));
  const told: Unnumbered = { type: 'notebook_state', payload: byReference };

  it('stays whole on a page that has it', () => {
    const first: Unnumbered = {
      type: 'notebook_state',
      payload: state(record('a', 'print', { console_stdout: whole })),
    };
    const model = play(opened(), frames(1, first, told));
    assert.deepEqual([model.cells.get('a')?.stdout, model.needsSync], [whole, false]);
  });

  it('is shown and asked for on one that has not', () => {
    const model = play(opened(), frames(1, told));
    assert.deepEqual([model.cells.get('a')?.stdout, model.needsSync], [end, true]);
  });
});
