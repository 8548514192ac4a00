import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { arrange, type PlacedWorker, tellWaiting, type WaitingCell } from './arrange.ts';

const cell = (id: string, more: Partial<WaitingCell> = {}): WaitingCell => ({
  id,
  shape: 'small',
  environment: null,
  timeoutSeconds: 300,
  ...more,
});
const worker = (name: string, more: Partial<PlacedWorker> = {}): PlacedWorker => ({
  name,
  shape: 'small',
  environment: null,
  state: 'idle',
  idleSince: 0,
  seconds: null,
  secondsLeft: null,
  report: undefined,
  ...more,
});
const arranged = (cells: WaitingCell[], workers: PlacedWorker[], most: number) => {
  const { handed, started, givenBack } = arrange(cells, workers, most);
  return {
    handed: handed.map((one) => `${one.cell} to ${one.worker}`),
    started: Object.fromEntries(started),
    givenBack,
  };
};

describe('cells and workers', () => {
  it('a cell goes to the idle worker that ran its environment, else to any of its shape', () => {
    const workers = [worker('other', { environment: 'x' }), worker('same', { environment: 'y' })];
    assert.deepEqual(arranged([cell('a', { environment: 'y' }), cell('b', { environment: 'z' })], workers, 8), {
      handed: ['a to same', 'b to other'],
      started: {},
      givenBack: [],
    });
  });

  it('as many workers are started as cells lack, within what the cluster has room for', () => {
    const cells = Array.from({ length: 200 }, (_, index) => cell(`c${index}`));
    assert.deepEqual(arranged(cells, [worker('coming', { state: 'starting' })], 32), {
      handed: [],
      started: { small: 31 },
      givenBack: [],
    });
  });

  it('an idle worker of another shape is given back, the longest idle first, where there is no room', () => {
    const workers = [worker('later', { idleSince: 2 }), worker('sooner', { idleSince: 1 })];
    assert.deepEqual(arranged([cell('a', { shape: 'large' })], workers, 2), {
      handed: [],
      started: {},
      givenBack: ['sooner'],
    });
  });

  it('an idle worker makes way for one that the cluster has no place for', () => {
    const held = worker('held', {
      shape: 'large',
      state: 'starting',
      report: { state: 'waiting', position: 1, reason: 'Resources' },
    });
    assert.deepEqual(arranged([cell('a', { shape: 'large' })], [worker('idle'), held], 8).givenBack, ['idle']);
  });

  it('a worker that the cluster will end soon takes no long cell', () => {
    const old = worker('old', { seconds: 3600, secondsLeft: 60 });
    assert.deepEqual(arranged([cell('long'), cell('short', { timeoutSeconds: 30 })], [old], 8), {
      handed: ['short to old'],
      started: { small: 1 },
      givenBack: [],
    });
  });

  it('those who wait know their place, what for, and where their worker starts', () => {
    const workers = [
      worker('one', { state: 'starting', report: { state: 'waiting', position: 3, reason: 'Resources' } }),
      worker('two', { state: 'starting', report: { state: 'running', node: 'n7' } }),
    ];
    assert.deepEqual(Object.fromEntries(tellWaiting([cell('a'), cell('b'), cell('c')], workers, 'slurm', null)), {
      a: { state: 'starting', position: null, detail: 'starting on n7' },
      b: { state: 'queued', position: 2, detail: 'waiting for slurm, #2 (Resources)' },
      c: { state: 'queued', position: 3, detail: 'waiting for slurm, #3' },
    });
  });
});
