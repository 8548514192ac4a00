// What routes declare, against rules 1, 2, 5 and 8 and the scope table of the specification, as whole values.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { before, describe, it } from 'node:test';
import { accessReference, declaredRoutes } from '../scripts/docs/access.ts';
import { root } from '../scripts/setup/places.js';
import type { Access, DeclaredRoute } from '../src/http/access.ts';

let routes: readonly DeclaredRoute[];
before(async () => {
  routes = await declaredRoutes();
});

/** What one route declares; fails where there is no such route. */
function accessOf(route: string): Access {
  const found = routes.find(({ method, url }) => `${method} ${url}` === route);
  assert.ok(found, `There is no ${route}`);
  return found.access;
}

const named = (matches: (access: Access) => boolean): string[] =>
  routes
    .filter(({ method, access }) => method !== 'HEAD' && matches(access))
    .map(({ method, url }) => `${method} ${url}`)
    .sort();

describe('the scope a route asks for', () => {
  const cases: [route: string, scope: Access['scope']][] = [
    ['GET /v1/notebooks/:session_id/cells', 'notebook:read'],
    ['HEAD /v1/notebooks/:session_id/cells', 'notebook:read'],
    ['GET /v1/notebooks/sessions', 'notebook:read'],
    ['POST /v1/notebooks/:session_id/environment/requirements.txt/preview', 'notebook:read'],
    ['POST /v1/notebooks/:session_id/environment/environment.yaml/preview', 'notebook:read'],
    ['POST /v1/notebooks/open', 'notebook:write'],
    ['POST /v1/notebooks/recents/validate', 'notebook:write'],
    ['PUT /v1/notebooks/:session_id/cells/:cell_id', 'notebook:write'],
    ['POST /v1/notebooks/:session_id/artifacts/:artifact_id/v/:version/promote', 'notebook:write'],
    ['DELETE /v1/notebooks/:session_id/workers/ssh/:worker_name', 'notebook:write'],
    ['POST /v1/notebooks/:session_id/workers/ssh', 'notebook:execute'],
    ['POST /v1/notebooks/:session_id/cells/:cell_id/execute', 'notebook:execute'],
    ['POST /v1/notebooks/:session_id/environment/jobs', 'notebook:execute'],
    ['PUT /v1/notebooks/:session_id/python-version', 'notebook:execute'],
    ['POST /v1/notebooks/:session_id/quiesce', 'admin:notebooks'],
    ['POST /v1/projects/*', 'admin:notebooks'],
    ['GET /v1/debug/memory', 'admin:*'],
    ['GET /v1/debug/cache/inspect', 'admin:cache'],
    ['GET /v1/cache/stats', 'admin:cache'],
    ['GET /v1/cache/evictions', undefined],
    ['POST /v1/artifacts/gc', 'admin:*'],
    ['PUT /v1/artifacts', 'artifacts:write'],
    ['POST /v1/artifacts/:artifact_id/v/:version/publish', 'artifacts:publish'],
    ['DELETE /v1/artifacts/:artifact_id/v/:version/pin', 'artifacts:pin'],
    ['GET /v1/admin/tenants/:tenant_id', 'admin:tenants'],
    ['PATCH /v1/admin/notebook-workers/:name', 'admin:notebook-workers'],
    ['PUT /v1/admin/notebook-credentials', 'admin:notebook-credentials'],
    ['POST /v1/registry/pending/approve', 'admin:registry'],
    ['GET /v1/config/timeouts', undefined],
    ['GET /v1/config/cells', undefined],
  ];
  for (const [route, scope] of cases)
    it(`${route} → ${scope ?? 'any identity'}`, () => assert.equal(accessOf(route).scope, scope));

  it('is notebook:read for every look at a notebook, and never less than a notebook scope', () => {
    const notebooks = routes.filter(({ url }) => /^\/v1\/(notebooks|projects)\//.test(url));
    const scopeless = notebooks.filter(({ access }) => !/^(notebook|admin):/.test(access.scope ?? ''));
    const looks = notebooks.filter(({ method }) => method === 'GET' || method === 'HEAD');
    assert.deepEqual([scopeless, looks.filter(({ access }) => access.scope !== 'notebook:read')], [[], []]);
    assert.ok(looks.length > 50);
  });
});

it('rule 5: these routes are for personal mode alone', () => {
  assert.deepEqual(
    {
      notebook: named(({ personalOnly }) => personalOnly === 'notebook'),
      artifact: named(({ personalOnly }) => personalOnly === 'artifact'),
    },
    {
      notebook: [
        'DELETE /v1/notebooks/:session_id',
        'GET /v1/notebooks/sessions',
        'GET /v1/notebooks/sessions/:session_id',
        'POST /v1/notebooks/delete-by-path',
      ],
      artifact: [
        'DELETE /v1/artifacts/:artifact_id/v/:version',
        'DELETE /v1/names/*',
        'GET /v1/artifacts',
        'POST /v1/artifacts/finalize',
        'POST /v1/artifacts/upload/:artifact_id/v/:version',
      ],
    },
  );
});

it('rule 1: probes, publications, signed addresses and signing in ask for no identity, and nothing else does', () => {
  const page = ['', '/archive.zip', '/badge.svg', '/data', '/embed', '/ro-crate', '/verify'];
  assert.deepEqual(
    {
      probe: named(({ open }) => open === 'probe'),
      published: named(({ open }) => open === 'published'),
      signed: named(({ open }) => open === 'signed'),
      signIn: named(({ open }) => open === 'sign-in'),
    },
    {
      probe: [
        'GET /health',
        'GET /health/dependencies',
        'GET /health/ready',
        'GET /metrics',
        'GET /metrics/prometheus',
      ],
      published: ['GET /oembed', ...page.map((part) => `GET /p/:token${part}`), 'GET /v1/publications/:token'],
      signed: [
        'GET /v1/artifacts/download',
        'GET /v1/builds/:build_id/manifest',
        'POST /v1/artifacts/upload',
        'POST /v1/builds/:build_id/finalize',
        'POST /v1/builds/:build_id/log',
        'POST /v1/builds/:build_id/output-file',
      ],
      signIn: ['DELETE /v1/sign-in', 'GET /assets/*', 'GET /v1/sign-in', 'POST /v1/sign-in'],
    },
  );
});

it('rule 2: these routes are there for the client of a running cell', () => {
  assert.deepEqual(
    {
      anywhere: named(({ runToken }) => runToken === 'anywhere'),
      'own session': named(({ runToken }) => runToken === 'own session'),
    },
    {
      anywhere: [
        'GET /v1/artifacts/:artifact_id/v/:version/data',
        'GET /v1/artifacts/:artifact_id/v/:version/tags',
        'GET /v1/names/*',
        'GET /v1/registry/audit',
        'GET /v1/streams/:stream_id',
        'POST /v1/materialize',
        'POST /v1/names',
        'PUT /v1/artifacts',
        'PUT /v1/artifacts/:artifact_id/v/:version/tags',
        'PUT /v1/names/*',
      ],
      'own session': ['POST /v1/notebooks/:session_id/artifacts/:artifact_id/v/:version/promote'],
    },
  );
});

it('docs/access.md is what routes, frames and tools declare', () => {
  assert.equal(fs.readFileSync(path.join(root, 'docs/access.md'), 'utf8'), accessReference(routes));
});
