// The live description: valid, complete, and true to what routes answer.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import type { Answer } from './kit/rest.ts';
import { rowsAt } from './kit/scan.ts';
import { startServer, type TestServer } from './kit/server.ts';

interface Operation {
  readonly parameters?: { readonly in: string; readonly name: string }[];
  readonly summary?: string;
  readonly tags?: string[];
  readonly responses: Record<string, { content?: Record<string, { schema?: object }> }>;
}

let server: TestServer;
let document: { openapi: string; paths: Record<string, Record<string, Operation>> };
before(async () => {
  server = await startServer();
  document = Object((await server.rest.get('/openapi.json')).json);
});
after(() => server[Symbol.asyncDispose]());

describe('openapi.json', () => {
  it('is a valid OpenAPI 3.1 document', async () => {
    const validator = new Validator();
    const result = await validator.validate(structuredClone(document));
    assert.deepEqual([document.openapi, validator.version, result.errors ?? []], ['3.1.0', '3.1', []]);
  });

  it('has every route that exists, each with a summary, a tag and its refusals', () => {
    const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, ...operation })),
    );
    // A route without a description does not start the server, so what is here is what exists.
    const names = operations.map(({ name }) => name);
    for (const name of ['GET /health', 'POST /v1/materialize', 'PUT /v1/notebooks/{session_id}/cells/{cell_id}'])
      assert.ok(names.includes(name), name);
    for (const { name, summary, tags, responses } of operations) {
      assert.ok(summary && tags?.length === 1, `${name} has no summary or tag`);
      assert.ok(responses['400'] && responses['500'], `${name} does not name its refusals`);
    }
    assert.deepEqual(Object.keys(document.paths['/v1/materialize']?.post?.responses ?? {}), [
      '200',
      '400',
      '401',
      '403',
      '404',
      '413',
      '415',
      '422',
      '429',
      '500',
      '503',
      '504',
    ]);
    assert.deepEqual(Object.keys(document.paths['/v1/logs']?.get?.responses ?? {}), [
      '200',
      '400',
      '401',
      '403',
      '422',
      '429',
      '500',
    ]);
    for (const { name, responses } of operations.filter((operation) => operation.name.includes('/v1/'))) {
      assert.ok(responses['401'], `${name} does not say that it asks for an identity`);
    }
    assert.deepEqual(Object.keys(document.paths['/health']?.get?.responses ?? {}), ['200', '400', '500']);
  });

  it('has every operation of the specification under its own path, with the answer to success', () => {
    const session = '/v1/notebooks/{session_id}';
    const cell = `${session}/cells/{cell_id}`;
    const version = '/v1/artifacts/{artifact_id}/v/{version}';
    const specified: [methods: string, path: string][] = [
      ...['create', 'open', 'import', 'import-snapshot', 'delete-by-path', 'recents/validate'].map(
        (verb): [string, string] => ['post', `/v1/notebooks/${verb}`],
      ),
      ['post', `${session}/close`],
      ['delete', session],
      ['post', `${session}/quiesce`],
      ['post', `${session}/release`],
      ['post', '/v1/projects/{path}/quiesce'],
      ['post', '/v1/projects/{path}/release'],
      ['get', '/v1/notebooks/discover'],
      ['put', `${session}/name`],
      ['get', '/v1/notebooks/sessions'],
      ['get', '/v1/notebooks/sessions/{session_id}'],
      ['get', '/v1/notebooks/config'],
      ['get post', `${session}/cells`],
      ['put delete', cell],
      ['put', `${session}/cells/reorder`],
      ['post', `${cell}/execute`],
      ['post', `${cell}/cancel`],
      ['post put', `${cell}/tests`],
      ['get', `${cell}/iterations`],
      ['get', `${cell}/data`],
      ['get', `${cell}/data/summary`],
      ['get', `${cell}/data/export`],
      ['get', `${cell}/outputs/{index}/blob`],
      ['post', `${session}/variant-groups/{group_id}/variants`],
      ['put', `${session}/variant-groups/{group_id}`],
      ['get', `${session}/dag`],
      ['get post', `${session}/dependencies`],
      ['delete', `${session}/dependencies/{package_name}`],
      ['get', `${session}/environment`],
      ['post', `${session}/environment/sync`],
      ['get', `${session}/environment/jobs/current`],
      ['post', `${session}/environment/jobs`],
      ['put', `${session}/python-version`],
      ['get', `${session}/r-packages`],
      ['get post', `${session}/environment/requirements.txt`],
      ['post', `${session}/environment/requirements.txt/preview`],
      ['post', `${session}/environment/environment.yaml`],
      ['post', `${session}/environment/environment.yaml/preview`],
      ['get put', `${session}/workers`],
      ['put', `${session}/worker`],
      ['get post', `${session}/workers/ssh`],
      ['delete', `${session}/workers/ssh/{worker_name}`],
      ['put', `${session}/mounts`],
      ['get put', `${session}/connections`],
      ['get', `${session}/connections/{name}/schema`],
      ['get', `${session}/artifacts`],
      ['post', `${session}/artifacts/{artifact_id}/v/{version}/promote`],
      ['get', `${session}/export`],
      ['put', `${session}/timeout`],
      ['put', `${session}/env`],
      ['put', `${session}/secret-manager/config`],
      ['post', `${session}/secret-manager/refresh`],
      ['get', '/v1/logs'],
      ['get', '/v1/logs/stream'],
      ['get put', '/v1/artifacts'],
      ['get', '/v1/artifacts/stats'],
      ['get', '/v1/artifacts/usage'],
      ['post', '/v1/materialize'],
      ['get', '/v1/streams/{stream_id}'],
      ...['/health', '/health/ready', '/health/dependencies', '/metrics', '/metrics/prometheus'].map(
        (path): [string, string] => ['get', path],
      ),
      ['get delete', version],
      ['get', `${version}/lineage`],
      ['get', `${version}/dependents`],
      ['get put', `${version}/tags`],
      ['delete', `${version}/tags/{key}`],
      ['get', `${version}/data`],
      ['get put', '/v1/artifacts/by-provenance/{hash}'],
      ['post', '/v1/artifacts/upload/{artifact_id}/v/{version}'],
      ['post', '/v1/artifacts/finalize'],
      ['post', '/v1/artifacts/explain-materialize'],
      ['post', '/v1/artifacts/materialize'],
      ['get', '/v1/artifacts/builds/{build_id}'],
      ['get', '/v1/artifacts/names/{name}/status'],
      ['get post', '/v1/names'],
      ['get delete', '/v1/names/{name}'],
      ['get', '/v1/names/{name}/aliases'],
      ['get put delete', '/v1/names/{name}/aliases/{alias}'],
      ['get', '/v1/registry/artifacts'],
      ['get', '/v1/registry/pending'],
      ['post', '/v1/registry/pending/approve'],
      ['post', '/v1/registry/pending/reject'],
      ['get', '/v1/registry/summary'],
      ['post', `${version}/publish`],
      ['patch delete', '/v1/publications/{token}'],
      ['post delete', `${version}/pin`],
      ['post', '/v1/artifacts/gc'],
      ['get', '/v1/builds/{build_id}/manifest'],
      ['get', '/v1/cache/stats'],
      ['post', '/v1/cache/clear'],
      ['get', '/v1/cache/evictions'],
      ['post', '/v1/cache/warm'],
      ['get delete', '/v1/cache/warm/jobs/{job_id}'],
      ['get', '/v1/metadata/stats'],
      ['get', '/v1/config/timeouts'],
      ...['latency', 'gc/pauses', 'pools', 'connections', 'memory', 'rate-limits', 'cache/inspect'].map(
        (part): [string, string] => ['get', `/v1/debug/${part}`],
      ),
      ['get put', '/v1/admin/notebook-credentials'],
    ];
    const missing = specified.flatMap(([methods, path]) =>
      methods
        .split(' ')
        .filter((method) => document.paths[path]?.[method] === undefined)
        .map((one) => `${one} ${path}`),
    );
    assert.deepEqual(missing, []);
    const everything = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${path}`, path, operation })),
    );
    const inPath = (path: string): string[] => [...path.matchAll(/\{([^}]+)\}/g)].map(([, name = '']) => name).sort();
    for (const { name, path, operation } of everything) {
      const succeeds = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'));
      assert.ok(succeeds.length > 0, `${name} does not say what success looks like`);
      for (const [status, { content = {} }] of succeeds)
        assert.ok(Object.keys(content).length > 0, `${name} does not say what type its ${status} has`);
      const described = (operation.parameters ?? []).filter((one) => one.in === 'path').map((one) => one.name);
      assert.deepEqual(described.sort(), inPath(path), name);
      assert.doesNotMatch(path, /\*/, name);
    }
  });

  it('names the status and content type of every answer that routes give', async () => {
    const requests: [method: string, path: string, template?: string, headers?: Record<string, string>][] = [
      ...Object.keys(document.paths)
        .filter((path) => document.paths[path]?.get && !path.includes('{') && !path.endsWith('/stream'))
        .map((path): [string, string] => ['GET', path]),
      ['GET', '/v1/logs?limit=0', '/v1/logs'],
      ['GET', '/v1/logs?regex=(', '/v1/logs'],
      ['GET', '/metrics/tables/x', '/metrics/tables/{table_id}'],
      ['GET', '/v1/admin/tenants/x', '/v1/admin/tenants/{tenant_id}'],
      ['POST', '/v1/materialize'],
      ['POST', '/v1/materialize', '/v1/materialize', { 'content-type': ';' }],
      ...Object.entries(document.paths).flatMap(([path, methods]) =>
        Object.keys(methods).map((method): [string, string, string, Record<string, string>] => [
          method.toUpperCase(),
          path,
          path,
          { host: 'evil.example' },
        ]),
      ),
    ];
    for (const [method, path, template = path, sent = {}] of requests) {
      const body = sent['content-type'] === undefined ? {} : { body: '{}' };
      const { status, headers } = await server.rest.send(method, path, { headers: sent, ...body });
      const described = document.paths[template]?.[method.toLowerCase()]?.responses[String(status)];
      assert.ok(described, `${method} ${path} answered ${status}, which its description does not name`);
      const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
      assert.ok(described.content?.[type], `${method} ${path} answered ${status} as ${type}`);
    }
  });
});

describe('the answers of routes', () => {
  let notebook: TestNotebook;
  let cell: string;
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  before(async () => {
    notebook = await createTestNotebook(server, 'Described');
    cell = await notebook.add('[1, 2]');
    await notebook.run(cell);
    const data = { word: ['a'] };
    const json = { inputs: [], transform: { executor: 'made@v1', params: {} }, name: 'of/words', data };
    const { artifact_uri } = Object((await server.rest.send('PUT', '/v1/artifacts', { json })).json);
    const [, artifact_id, version] = /artifact\/(.+)@v=(\d+)$/.exec(artifact_uri) ?? [];
    const alias = { artifact_id, version: Number(version) };
    await server.rest.send('PUT', '/v1/names/of%2Fwords/aliases/best', { json: alias });
  });

  /** Where a version lies that holds this word. */
  async function stored(word: string): Promise<string> {
    const json = { inputs: [], transform: { executor: 'made@v1', params: { word } }, data: { word: [word] } };
    const { artifact_uri } = Object((await server.rest.send('PUT', '/v1/artifacts', { json })).json);
    return artifact_uri.replace('svc://artifact', '/v1/artifacts').replace('@v=', '/v/');
  }

  /** Holds an answer against what the document says about its status. */
  function fits(method: string, template: string, { status, headers, text }: Answer): void {
    const described = document.paths[template]?.[method]?.responses[String(status)];
    assert.ok(described, `${method} ${template} answered ${status}, which its description does not name`);
    const type = (headers['content-type'] ?? '').split(';')[0] ?? '';
    const content = described.content?.[type];
    assert.ok(content, `${method} ${template} answered ${status} as ${type}`);
    if (!/json$/.test(type)) return;
    const validate = ajv.compile(content.schema ?? {});
    assert.ok(validate(JSON.parse(text)), `${method} ${template}: ${ajv.errorsText(validate.errors)}`);
  }

  it('have the shape that the document describes, of every list and every state', async () => {
    const templates = Object.keys(document.paths).filter(
      (path) => document.paths[path]?.get && !path.endsWith('/stream'),
    );
    const values: Readonly<Record<string, string>> = {
      '{session_id}': notebook.sessionId,
      '{cell_id}': cell,
      '{name}': 'of%2Fwords',
      '{alias}': 'best',
      '{index}': '0',
    };
    for (const template of templates) {
      const path = template.replace(/\{[^}]+\}/g, (name) => values[name] ?? 'none');
      fits('get', template, await server.rest.get(path));
    }
  });

  for (const fmt of ['zip', 'snapshot', 'markdown', 'html', 'ipynb', 'script'])
    it(`an export as ${fmt} has a type that the document names`, async () => {
      fits('get', '/v1/notebooks/{session_id}/export', await notebook.request('GET', `/export?fmt=${fmt}`));
    });

  it('that delete have the shape that the document describes', async () => {
    const extra = await notebook.add('1');
    fits('delete', '/v1/notebooks/{session_id}/cells/{cell_id}', await notebook.request('DELETE', `/cells/${extra}`));
    const alias = '/v1/names/of%2Fwords/aliases/best';
    fits('delete', '/v1/names/{name}/aliases/{alias}', await server.rest.send('DELETE', alias));
    fits('delete', '/v1/names/{name}', await server.rest.send('DELETE', '/v1/names/of/words'));
  });

  it('to an input by an address that nobody signed are described', async () => {
    const place = '/v1/artifacts/download?artifact_id=a&version=1&build_id=b&expires_at=1&signature=x';
    fits('get', '/v1/artifacts/download', await server.rest.get(place));
  });

  it('to what nobody can compute are described, whoever refuses it', async () => {
    for (const template of ['/v1/materialize', '/v1/artifacts/materialize'])
      fits('post', template, await server.rest.post(template));
  });

  it('to a text that no store keeps are described', async () => {
    const template = '/v1/artifacts/{artifact_id}/v/{version}/tags';
    const answer = await server.rest.send('PUT', `${await stored('c')}/tags`, { json: { key: '\0', value: '' } });
    assert.equal(answer.status, 400);
    fits('put', template, answer);
  });

  it('to who reads a publication as a crate are described', async () => {
    const { token } = Object((await server.rest.post(`${await stored('b')}/publish`, { json: {} })).json);
    fits('get', '/p/{token}/ro-crate', await server.rest.get(`/p/${token}/ro-crate`));
  });

  it('to ragged lists are tables too', async () => {
    const store = async (data: object) => {
      const json = { inputs: [], transform: { executor: 'ragged@v1', params: data }, data };
      return server.rest.send('PUT', '/v1/artifacts', { json });
    };
    for (const data of [{ a: [[]] }, { a: [[], [null]] }, { a: [{ b: null }, { b: [] }] }, { a: [[], [1]] }]) {
      const { status, json } = await store(data);
      assert.equal(status, 200, JSON.stringify(data));
      const place = Object(json).artifact_uri.replace('svc://artifact', '/v1/artifacts').replace('@v=', '/v/');
      assert.deepEqual((await rowsAt(server, `${place}/data`)).rows.length, data.a.length);
    }
    for (const data of [{}, { a: [1, [2]] }, { a: [1], b: [] }]) assert.equal((await store(data)).status, 400);
  });
});
