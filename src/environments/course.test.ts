// What an environment goes through, told in events; no uv, no file.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  after,
  type Course,
  type CourseEvent,
  type Found,
  isSyncing,
  objectionToCells,
  objectionToJob,
  openedCourse,
} from './course.ts';
import { newJob } from './jobs.ts';
import { operationFor } from './operations.ts';
import type { Survey } from './survey.ts';

const surveyOf = (lockfileHash: string, more: Partial<Survey> = {}): Survey => ({
  problem: null,
  requirements: [],
  requiresPython: '>=3.13',
  requestedPython: '3.13',
  dependencies: [],
  resolved: [],
  lockfileHash,
  hasLockfile: true,
  venvPython: '/notebook/.venv/bin/python',
  runtimeVersion: '3.13.1',
  isMakeshift: false,
  fingerprint: `print of ${lockfileHash}`,
  ...more,
});

const noR: Course['r'] = {
  lock_hash: '',
  r_version: '',
  last_synced_at: 0,
  sync_error: null,
  packages: [],
  packages_status: 'absent',
  packages_error: null,
  has_lockfile: false,
  current_lock_hash: '',
  system_r_version: null,
  sync_state: 'absent',
};

const record = {
  python: { last_synced_at: 5, last_sync_duration_ms: 7, fingerprint: 'print of old', lockfile_hash: 'old' },
  r: { lock_hash: '', r_version: '', last_synced_at: 0, sync_error: null },
};

const opened = (more: Partial<Survey> = {}, isCutShort = false): Course =>
  openedCourse({ survey: surveyOf('old', more), record, r: noR, isCutShort });

const play = (course: Course, ...events: readonly CourseEvent[]): Course => events.reduce(after, course);
const add = operationFor({ action: 'add', requirements: ['polars'] }, '3.13');
const started: CourseEvent = { type: 'started', operation: add };
const foundWith = (found: Partial<Found>): CourseEvent => ({
  type: 'found',
  found: { problem: undefined, survey: surveyOf('new'), at: 10, durationMs: 3, ...found },
});
const seen = ({ state, stage, record: { python } }: Course) => [
  state.sync_state,
  state.lockfile_hash,
  stage,
  python.lockfile_hash,
];

describe('an environment', () => {
  it('that is as its last job left it is ready at once; one that was cut short, or changed, is not', () => {
    assert.deepEqual(seen(opened()), ['ready', 'old', 'resting', 'old']);
    assert.deepEqual(opened({ fingerprint: 'another' }).state.sync_state, 'pending');
    assert.deepEqual(opened({}, true).state.sync_state, 'pending');
  });

  it('goes from work to what was found, and holds what is installed then', () => {
    const settling = play(opened(), started, { type: 'worked' }, foundWith({}));
    assert.deepEqual(seen(settling), ['ready', 'new', 'settling', 'new']);
    const ended = play(settling, {
      type: 'ended',
      job: { ...newJob('add', 'uv add polars', 'polars', 'completed'), status: 'completed' },
    });
    assert.deepEqual([ended.stage, ended.job?.status], ['resting', 'completed']);
  });

  it('that failed to change is what it was before, and says so', () => {
    const failed = play(
      opened(),
      started,
      { type: 'worked' },
      foundWith({ problem: 'No such package.', survey: surveyOf('half') }),
    );
    assert.deepEqual(seen(failed), ['ready', 'old', 'settling', 'old']);
    assert.deepEqual(
      [failed.state.sync_error, failed.state.sync_notice, failed.record.python.fingerprint],
      ['No such package.', 'The last change failed; the environment from before is in use.', ''],
    );
  });

  it('of Python stays as it is when a job for R fails', () => {
    const rJob = foundWith({ problem: 'No renv.', r: { lockHash: 'r1', version: '4.5' }, survey: surveyOf('old') });
    const failed = play(opened(), started, { type: 'worked' }, rJob);
    assert.deepEqual(
      [failed.record.r.sync_error, failed.state.sync_error, failed.record.python],
      ['No renv.', null, record.python],
    );
  });

  it('keeps what its job says, and no more once that is too much', () => {
    const line: CourseEvent = { type: 'heard', stream: 'stderr', line: 'Resolved 3 packages' };
    assert.equal(play(opened(), started, line, line).job?.stderr, 'Resolved 3 packages\nResolved 3 packages\n');
    const long: CourseEvent = { type: 'heard', stream: 'stderr', line: 'x'.repeat(20_000) };
    const full = play(opened(), started, long);
    assert.equal(play(full, line), full);
  });

  it('is syncing until what a sync has left was looked at by everybody', () => {
    const sync: CourseEvent = { type: 'started', operation: operationFor({ action: 'sync' }, '3.13') };
    const due = opened({ fingerprint: '' });
    const settling = play(due, sync, { type: 'worked' }, foundWith({ survey: surveyOf('new') }));
    const { job } = settling;
    assert.ok(job);
    assert.deepEqual(
      [due, play(due, sync), settling, play(settling, { type: 'ended', job }), play(opened(), started)].map(isSyncing),
      [true, true, true, false, false],
    );
    assert.deepEqual([settling.state.sync_state, objectionToCells(settling) === null], ['ready', false]);
  });

  it('takes one job at a time, none while a cell runs, and no cell while a job runs', () => {
    const working = play(opened(), started);
    const label = (): string => 'sync';
    assert.equal(
      objectionToJob(working, label, false),
      'Another environment update is already in progress: add polars',
    );
    assert.equal(
      objectionToJob(opened(), label, true),
      'Notebook execution is currently running. Wait for execution to finish before starting sync.',
    );
    assert.equal(objectionToJob(opened(), label, false), null);
    assert.equal(
      objectionToCells(working),
      'Environment update in progress. Running cells is disabled until add polars finishes.',
    );
    assert.equal(objectionToCells(opened()), null);
    assert.equal(
      objectionToCells(opened({ fingerprint: '' })),
      'The environment is being prepared; cells can be run when it is ready.',
    );
    const lost = play(opened({ venvPython: null, fingerprint: '' }), { type: 'leftAlone', reason: 'Held still.' });
    assert.equal(
      objectionToCells(lost),
      'Notebook environment is not ready. Sync it again when this is solved: Held still.',
    );
  });
});
