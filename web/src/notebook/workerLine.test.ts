import assert from 'node:assert/strict';
import { it } from 'node:test';
import { withWorker, workerIn } from './workerLine.ts';

const cases: readonly (readonly [source: string, worker: string | null, expected: string])[] = [
  ['x = 1', 'gpu', '# @worker gpu\nx = 1'],
  ['# @name a\n# about it\nx = 1', 'gpu', '# @name a\n# @worker gpu\n# about it\nx = 1'],
  ['# @name a\n#  @Worker lab  \nx = 1', 'gpu', '# @name a\n# @worker gpu\nx = 1'],
  ['# @worker lab\nx = 1', null, 'x = 1'],
  ['x = 1\n# @worker lab', null, 'x = 1\n# @worker lab'],
  ['# @worker lab\n# @name a\n# @worker home\nx = 1', 'gpu', '# @worker gpu\n# @name a\nx = 1'],
  ['# @name a\r\n# @worker lab\r\nx = 1\r\n', 'gpu', '# @name a\r\n# @worker gpu\r\nx = 1\r\n'],
  ['# @name a\r\nx = 1\r\n', 'gpu', '# @name a\r\n# @worker gpu\r\nx = 1\r\n'],
  ['', 'gpu', '# @worker gpu\n'],
];

for (const [source, worker, expected] of cases)
  it(`${JSON.stringify(source)} on ${worker ?? 'no worker'}`, () => {
    assert.equal(withWorker(source, worker), expected);
    assert.equal(workerIn(expected), worker);
  });

it('of several lines the last one says where the cell runs, as for the server', () =>
  assert.deepEqual(['# @worker lab\n# @worker gpu\nx = 1', '# @worker lab\n# @worker\nx = 1'].map(workerIn), [
    'gpu',
    null,
  ]));
