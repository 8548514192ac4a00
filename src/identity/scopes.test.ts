// Rules 5 and 8, and the scope table of the specification, as whole values.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { personalOnly, requiredScope } from './scopes.ts';

describe('the scope a route asks for', () => {
  const cases: [route: string, scope: string | undefined][] = [
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
    ['POST /v1/notebooks/:session_id/something-new', 'notebook:execute'],
    ['PATCH /v1/projects/*', 'notebook:execute'],
    ['POST /v1/notebooks/:session_id/quiesce', 'admin:notebooks'],
    ['POST /v1/projects/*', 'admin:notebooks'],
    ['GET /v1/debug/memory', 'admin:*'],
    ['GET /v1/debug/cache/inspect', 'admin:cache'],
    ['GET /v1/cache/stats', 'admin:cache'],
    ['GET /v1/cache/evictions', undefined],
    ['POST /v1/artifacts/gc', 'admin:*'],
    ['POST /v1/artifacts/:artifact_id/v/:version/publish', 'artifacts:publish'],
    ['DELETE /v1/artifacts/:artifact_id/v/:version/pin', 'artifacts:pin'],
    ['GET /v1/admin/tenants/:tenant_id', 'admin:tenants'],
    ['PATCH /v1/admin/notebook-workers/:name', 'admin:notebook-workers'],
    ['PUT /v1/admin/notebook-credentials', 'admin:notebook-credentials'],
    ['POST /v1/registry/pending/approve', 'admin:registry'],
    ['GET /v1/config/timeouts', undefined],
    ['GET /v1/notebooksish', undefined],
  ];
  for (const [route, scope] of cases) {
    it(`${route} → ${scope ?? 'any identity'}`, () => {
      const [method = '', template = ''] = route.split(' ');
      assert.equal(requiredScope(method, template), scope);
    });
  }
});

describe('routes of personal mode alone', () => {
  const cases: [route: string, kind: 'notebook' | 'artifact' | undefined][] = [
    ['DELETE /v1/notebooks/:session_id', 'notebook'],
    ['POST /v1/notebooks/delete-by-path', 'notebook'],
    ['GET /v1/notebooks/sessions', 'notebook'],
    ['HEAD /v1/notebooks/sessions', 'notebook'],
    ['GET /v1/notebooks/sessions/:session_id', 'notebook'],
    ['GET /v1/artifacts', 'artifact'],
    ['DELETE /v1/artifacts/:artifact_id/v/:version', 'artifact'],
    ['POST /v1/artifacts/finalize', 'artifact'],
    ['POST /v1/notebooks/open', undefined],
    ['GET /v1/notebooks/discover', undefined],
  ];
  for (const [route, kind] of cases) {
    it(`${route} → ${kind ?? 'both modes'}`, () => {
      const [method = '', template = ''] = route.split(' ');
      assert.equal(personalOnly(method, template), kind);
    });
  }
});
