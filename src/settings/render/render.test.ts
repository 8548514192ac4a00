import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { z } from 'zod';
import { loadSettings } from '../load.ts';
import { settingsTable } from '../table.ts';
import { renderSettings } from './index.ts';

const current = loadSettings({
  env: {
    HOME: '/home/ada',
    SVC_PORT: '9000',
    SVC_PROXY_TOKEN: 'hunter2',
    SVC_CATALOGS: JSON.stringify({ lake: { type: 'sql', uri: 'postgresql://u:hunter2@h/db' } }),
    SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ lake: { key: 'hunter2' } }),
    SVC_AI_BASE_URL: 'http://u:hunter2@models.example/v1',
  },
  cwd: '/nonexistent',
});

test('docs/settings.md is the table as it stands', () => {
  const documented = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
  assert.equal(documented, renderSettings('markdown'));
});

test('every setting is documented under both its names', () => {
  const markdown = renderSettings('markdown');
  const missing = settingsTable
    .flatMap(({ environmentName, configKey, row }) => [environmentName, ...(row.environmentOnly ? [] : [configKey])])
    .filter((name) => !markdown.includes(`\`${name}\``));
  assert.deepEqual(missing, []);
});

test('a documented row', () => {
  const rowOf = (name: string) =>
    renderSettings('markdown')
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\``));
  assert.equal(
    rowOf('SVC_ACL_CONFIG'),
    '| `SVC_ACL_CONFIG` | `acl_config`, `[tool.svc.acl]` | JSON object | `{"default":"allow","deny":[],"allow":[]}` | Table access rules, deny first; enforced for authenticated callers, never in personal mode. |  |',
  );
  assert.equal(
    rowOf('SVC_WORKER_TOKEN'),
    '| `SVC_WORKER_TOKEN` |  | string | unset | Bearer token the worker asks of its callers. | worker, environment only, secret |',
  );
});

test('the listing for people', () => {
  const lines = renderSettings('human', current).split('\n');
  const about = (name: string) => lines.filter((line) => line.startsWith(`  ${name} `));
  const names = [
    'SVC_HOST',
    'SVC_PORT',
    'SVC_PROXY_TOKEN',
    'SVC_CATALOGS',
    'SVC_NOTEBOOK_CREDENTIALS',
    'SVC_AI_BASE_URL',
    'SVC_ARTIFACT_DIR',
    'SVC_WORKER_TOKEN',
  ];
  assert.deepEqual(names.flatMap(about), [
    '  SVC_HOST = 127.0.0.1 (default)',
    '  SVC_PORT = 9000 (from environment; default: 8765)',
    '  SVC_PROXY_TOKEN = <redacted> (from environment; default: unset; secret)',
    '  SVC_CATALOGS = {"lake":{"type":"sql","uri":"<redacted>"}} (from environment; default: {})',
    '  SVC_NOTEBOOK_CREDENTIALS = {"lake":{"key":"<redacted>"}} (from environment; default: {}; secret)',
    '  SVC_AI_BASE_URL = http://u:***@models.example/v1 (from environment; default: unset)',
    '  SVC_ARTIFACT_DIR = /home/ada/.svc/artifacts (default: ~/.svc/artifacts personal; unset in service)',
    '  SVC_WORKER_TOKEN (default: unset; worker; environment only; secret)',
  ]);
  assert.deepEqual(lines.slice(0, 3), ['Server', '  SVC_HOST = 127.0.0.1 (default)', '      Address to listen on.']);
});

test('the listing without values', () => {
  assert.deepEqual(renderSettings('human').split('\n').slice(0, 3), [
    'Server',
    '  SVC_HOST (default: 127.0.0.1)',
    '      Address to listen on.',
  ]);
});

test('the listing for programs', () => {
  const listing = z.array(z.looseObject({ name: z.string() })).parse(JSON.parse(renderSettings('json', current)));
  assert.deepEqual(
    listing.map(({ name }) => name),
    settingsTable.map((entry) => entry.environmentName),
  );
  assert.deepEqual(
    listing.find(({ name }) => name === 'SVC_PORT'),
    {
      name: 'SVC_PORT',
      config_key: 'port',
      area: 'Server',
      type: 'integer, 0 to 65535',
      default: '8765',
      meaning: 'Port to listen on; 0 takes any free one.',
      program: 'server',
      environment_only: false,
      secret: false,
      value: 9000,
      source: 'environment',
    },
  );
});

test('no listing tells a secret', () => {
  for (const format of ['human', 'json', 'markdown'] as const) {
    assert.doesNotMatch(renderSettings(format, current), /hunter2/);
  }
});
