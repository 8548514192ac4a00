import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellEnvironment } from './environment.ts';

const variables = {
  PATH: '/bin',
  HOME: '/root',
  LC_ALL: 'C',
  UV_CACHE_DIR: '/cache',
  UV_INDEX_URL: 'https://user:secret@index',
  UV_PUBLISH_TOKEN: 't',
  PYTHONPATH: '/lib',
  DATABASE_URL: 'postgres://',
  AWS_SECRET_ACCESS_KEY: 'k',
  AWS_REGION: 'eu',
  SVC_PORT: '1',
  SVC_PROXY_TOKEN: 's',
  UNSET: undefined,
};

const passed = (...allowlist: string[]): string[] => Object.keys(cellEnvironment({ variables, allowlist })).sort();
const essentials = ['HOME', 'LC_ALL', 'PATH', 'PYTHONPATH', 'UV_CACHE_DIR'];

test('without a list everything passes but the settings of the server', () => {
  const all = Object.keys(variables).filter((name) => !name.startsWith('SVC_') && name !== 'UNSET');
  assert.deepEqual(passed(), all.sort());
});

test('with a list: what it names, and the essentials without their secrets', () => {
  assert.deepEqual(passed('AWS_REGION'), ['AWS_REGION', ...essentials]);
  assert.deepEqual(passed('AWS_*'), ['AWS_REGION', 'AWS_SECRET_ACCESS_KEY', ...essentials]);
});

test('a setting of the server passes by its exact name alone', () => {
  assert.deepEqual(passed('SVC_*'), essentials);
  assert.deepEqual(passed('*').includes('SVC_PORT'), false);
  assert.deepEqual(passed('SVC_PORT'), [...essentials.slice(0, 4), 'SVC_PORT', 'UV_CACHE_DIR']);
});

test('what looks like a secret passes when it is named', () => {
  assert.deepEqual(passed('UV_PUBLISH_TOKEN'), [...essentials, 'UV_PUBLISH_TOKEN'].sort());
});
