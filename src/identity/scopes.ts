// Which scope a route asks for, keyed on its method and its template. One table serves REST routes and, by the route that
// does the same thing, WebSocket frames. A notebook route that is not listed asks for the strongest: `notebook:execute`.

const notebookReads = [
  'POST /v1/notebooks/:session_id/environment/requirements.txt/preview',
  'POST /v1/notebooks/:session_id/environment/environment.yaml/preview',
];

const notebookWrites = [
  'POST /v1/notebooks/open',
  'POST /v1/notebooks/create',
  'POST /v1/notebooks/import',
  'POST /v1/notebooks/import-snapshot',
  'POST /v1/notebooks/recents/validate',
  'POST /v1/notebooks/delete-by-path',
  'POST /v1/notebooks/:session_id/close',
  'DELETE /v1/notebooks/:session_id',
  'POST /v1/notebooks/:session_id/cells',
  'PUT /v1/notebooks/:session_id/cells/reorder',
  'PUT /v1/notebooks/:session_id/cells/:cell_id',
  'DELETE /v1/notebooks/:session_id/cells/:cell_id',
  'POST /v1/notebooks/:session_id/cells/:cell_id/restore',
  'PUT /v1/notebooks/:session_id/cells/:cell_id/tests',
  'PUT /v1/notebooks/:session_id/mounts',
  'PUT /v1/notebooks/:session_id/connections',
  'PUT /v1/notebooks/:session_id/worker',
  'PUT /v1/notebooks/:session_id/workers',
  'DELETE /v1/notebooks/:session_id/workers/ssh/:worker_name',
  'PUT /v1/notebooks/:session_id/env',
  'PUT /v1/notebooks/:session_id/secret-manager/config',
  'POST /v1/notebooks/:session_id/secret-manager/refresh',
  'PUT /v1/notebooks/:session_id/name',
  'PUT /v1/notebooks/:session_id/timeout',
  'PUT /v1/notebooks/:session_id/files/*',
  'DELETE /v1/notebooks/:session_id/files/*',
  'POST /v1/notebooks/:session_id/variant-groups/:group_id/variants',
  'PUT /v1/notebooks/:session_id/variant-groups/:group_id',
  'POST /v1/notebooks/:session_id/artifacts/:artifact_id/v/:version/promote',
];

const exact: ReadonlyMap<string, string> = new Map([
  ...notebookReads.map((route): [string, string] => [route, 'notebook:read']),
  ...notebookWrites.map((route): [string, string] => [route, 'notebook:write']),
  ['POST /v1/notebooks/:session_id/quiesce', 'admin:notebooks'],
  ['POST /v1/notebooks/:session_id/release', 'admin:notebooks'],
  ['POST /v1/projects/*', 'admin:notebooks'],
  ['POST /v1/cache/clear', 'admin:cache'],
  ['GET /v1/cache/entries', 'admin:cache'],
  ['GET /v1/cache/histogram', 'admin:cache'],
  ['GET /v1/cache/stats', 'admin:cache'],
  ['GET /v1/debug/cache/inspect', 'admin:cache'],
  ['POST /v1/metadata/cleanup', 'admin:cache'],
  ['GET /v1/logs', 'admin:*'],
  ['GET /v1/logs/stream', 'admin:*'],
  ['GET /metrics/tables', 'admin:*'],
  ['GET /metrics/tables/:table_id', 'admin:*'],
  ['POST /v1/artifacts/gc', 'admin:*'],
  ['POST /v1/artifacts/:artifact_id/v/:version/publish', 'artifacts:publish'],
  ['PATCH /v1/publications/:token', 'artifacts:publish'],
  ['DELETE /v1/publications/:token', 'artifacts:publish'],
  ['POST /v1/artifacts/:artifact_id/v/:version/pin', 'artifacts:pin'],
  ['DELETE /v1/artifacts/:artifact_id/v/:version/pin', 'artifacts:pin'],
  ['POST /v1/registry/pending/approve', 'admin:registry'],
  ['POST /v1/registry/pending/reject', 'admin:registry'],
]);

const prefixes: ReadonlyArray<readonly [template: string, scope: string]> = [
  ['/v1/debug/', 'admin:*'],
  ['/v1/admin/tenants', 'admin:tenants'],
  ['/v1/admin/notebook-workers', 'admin:notebook-workers'],
  ['/v1/admin/notebook-credentials', 'admin:notebook-credentials'],
];

const isNotebookRoute = (template: string): boolean => /^\/v1\/(notebooks|projects)(\/|$)/.test(template);

/** The scope a matched route asks for, or undefined when any identity will do. */
export function requiredScope(method: string, template: string): string | undefined {
  const verb = method === 'HEAD' ? 'GET' : method;
  const listed = exact.get(`${verb} ${template}`) ?? prefixes.find(([prefix]) => template.startsWith(prefix))?.[1];
  if (listed !== undefined) return listed;
  if (!isNotebookRoute(template)) return undefined;
  return verb === 'GET' ? 'notebook:read' : 'notebook:execute';
}

const personalNotebookRoutes = new Set([
  'DELETE /v1/notebooks/:session_id',
  'POST /v1/notebooks/delete-by-path',
  'GET /v1/notebooks/sessions',
  'GET /v1/notebooks/sessions/:session_id',
]);

const personalArtifactRoutes = new Set([
  'GET /v1/artifacts',
  'DELETE /v1/artifacts/:artifact_id/v/:version',
  'DELETE /v1/names/*',
  'POST /v1/artifacts/upload/:artifact_id/v/:version',
  'POST /v1/artifacts/finalize',
]);

/** Routes that service mode refuses to everyone, `admin:*` included, and which kind of refusal they give. */
export function personalOnly(method: string, template: string): 'notebook' | 'artifact' | undefined {
  const route = `${method === 'HEAD' ? 'GET' : method} ${template}`;
  if (personalNotebookRoutes.has(route)) return 'notebook';
  return personalArtifactRoutes.has(route) ? 'artifact' : undefined;
}
