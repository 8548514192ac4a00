// After the work of a job, in a folder of its own; no uv, no R.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { it, type TestContext } from 'node:test';
import { afterWork } from './afterWork.ts';
import { openedCourse } from './course.ts';
import { operationFor } from './operations.ts';
import { createRTools } from './renv.ts';
import { surveyEnvironment } from './survey.ts';
import { readSyncRecord } from './syncRecord.ts';
import { followCourse } from './toldCourse.ts';

/** A job that has just added a package to an empty notebook, and what is asked of somebody who holds that open. */
async function workDone(t: TestContext) {
  const directory = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-after-work-'));
  t.after(() => fs.rm(directory, { recursive: true, force: true }));
  const asked: string[] = [];
  const watchers = new Set([
    {
      isRunning: () => false,
      told: () => {},
      stopProcesses: async () => void asked.push('stop'),
      beginChange: () => async () => {
        asked.push('look');
        return ['a'];
      },
      startProcesses: () => void asked.push('start'),
    },
  ]);
  const r = createRTools({ rscript: () => undefined, installsNothing: null, shared: null });
  const record = await readSyncRecord(directory);
  const [survey, rNow] = [await surveyEnvironment(directory), await r.survey(directory, record.r)];
  const course = followCourse(openedCourse({ survey, record, r: rNow, isCutShort: false }), watchers);
  const operation = operationFor({ action: 'add', requirements: ['polars'] }, '3.13');
  course.happened({ type: 'started', operation });
  return { directory, r, watchers, course, operation, asked };
}

it('whoever holds the notebook open ends its processes, looks at its cells and starts others', async (t) => {
  const { operation, asked, ...parts } = await workDone(t);
  assert.deepEqual(await afterWork(parts, { operation, problem: undefined, installedBefore: undefined }, () => 3), {
    hasChanged: false,
    stale: [],
  });
  assert.deepEqual(asked, ['stop', 'look', 'start']);
  assert.equal(parts.course.now().job?.phase, 'starting_warm_pool');
});

it('a notebook that is closed while it is looked at stays closed, and nothing is started for it', async (t) => {
  const { operation, asked, ...parts } = await workDone(t);
  const r: typeof parts.r = {
    ...parts.r,
    survey(...where) {
      parts.course.happened({ type: 'closed' });
      return parts.r.survey(...where);
    },
  };
  await afterWork({ ...parts, r }, { operation, problem: undefined, installedBefore: undefined }, () => 3);
  assert.deepEqual([parts.course.now().isClosed, asked], [true, []]);
});
