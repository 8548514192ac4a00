import assert from 'node:assert/strict';
import { it } from 'node:test';
import { retryAfterSeconds } from './retryAfter.ts';

it('understands seconds and moments, and nothing else', () => {
  const now = Date.parse('Tue, 17 Nov 2026 10:00:00 GMT');
  const said = ['2', '0.5', 'Tue, 17 Nov 2026 10:00:12 GMT', 'Tue, 17 Nov 2026 09:00:00 GMT', 'soon', '', undefined];
  assert.deepEqual(
    said.map((one) => retryAfterSeconds(one, now)),
    [2, 0.5, 12, 0, undefined, undefined, undefined],
  );
});
