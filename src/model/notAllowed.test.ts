import assert from 'node:assert/strict';
import { it } from 'node:test';
import { refusals } from '../errors/index.ts';
import { notAllowed } from './notAllowed.ts';

it('a refusal for want of a right says what one may not do and what to ask for, however the server words it', () =>
  assert.deepEqual(
    [
      refusals.insufficientScope('notebook:execute').message,
      "Writing artifacts and their registry requires the 'artifacts:write' scope.",
      'This route requires the jobs:write scope',
      'Planning timed out.',
    ].map(notAllowed),
    [
      'Not done: you may not run cells and use widgets here. Ask whoever runs the server for notebook:execute.',
      'Not done: you may not store results or give them names here. Ask whoever runs the server for artifacts:write.',
      'Not done: this is not for everybody. Ask whoever runs the server for jobs:write.',
      'Planning timed out.',
    ],
  ));
