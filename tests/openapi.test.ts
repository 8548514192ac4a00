// The live description: valid, complete, and true to what routes answer.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { startServer, type TestServer } from './kit/server.ts';

interface Operation {
  readonly summary?: string;
  readonly tags?: string[];
  readonly responses: Record<string, { content?: Record<string, unknown> }>;
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
