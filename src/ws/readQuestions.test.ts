import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { LargeRead, WeighedRun } from '../notebook/index.ts';
import type { ClientFrame } from '../protocol/index.ts';
import { createReadQuestions } from './readQuestions.ts';

const frame: ClientFrame = { type: 'cell_execute', payload: { cell_id: 'a' } };
const run: WeighedRun = { cells: ['a'], anew: new Set() };
const large: LargeRead = { cells: [], message: null, keys: ['k'] };

function asking(over: (signal: AbortSignal) => Promise<LargeRead | null>) {
  const agreed: LargeRead[] = [];
  const started: string[] = [];
  let time = 0;
  const reads = {
    isAsked: true,
    over: (_run: WeighedRun, signal: AbortSignal) => over(signal),
    agree: (read: LargeRead) => void agreed.push(read),
    unconfirmed: async () => null,
  };
  const questions = createReadQuestions({ reads }, () => time);
  return {
    ...questions,
    agreed,
    started,
    before: () => questions.before(frame, run, () => void started.push('run')),
    wait: (milliseconds: number) => {
      time += milliseconds;
    },
  };
}

describe('the question before a large read', () => {
  it('is asked in place of the run, answered once, and remembered', async () => {
    const { before, confirm, agreed, started } = asking(async () => large);
    const question = await before();
    assert.match(question?.prompt_id ?? '', /^[0-9a-f]{32}$/);
    assert.deepEqual([question?.cells, started], [[], []]);
    const answers = [question?.prompt_id ?? '', question?.prompt_id ?? '', 'unknown'].map(confirm);
    assert.deepEqual([answers, agreed], [[frame, undefined, undefined], [large]]);
  });

  it('is not waited for longer than ten minutes', async () => {
    const { before, confirm, agreed, wait } = asking(async () => large);
    const question = await before();
    wait(600_001);
    assert.deepEqual([confirm(question?.prompt_id ?? ''), agreed], [undefined, []]);
  });

  it('does not come when the run was cancelled while it was weighed, and neither does the run', async () => {
    const { before, cancel, started } = asking(
      (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(null))),
    );
    const asked = before();
    cancel('another');
    cancel('a');
    assert.deepEqual([await asked, started], [null, []]);
  });
});
