import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import {
  atLeast,
  basePath,
  choice,
  choiceInAnyCase,
  commaList,
  databaseUrl,
  flag,
  headerName,
  host,
  hostPatternFlaw,
  integer,
  jsonArray,
  jsonObject,
  type Kind,
  originFlaw,
  path,
  pathOrJson,
  positive,
  postgresUrl,
  text,
  textOrEmpty,
  url,
} from './index.ts';

/** The value, or the flaws as one line each. */
function outcome<T>(reading: ReturnType<Kind<T>['fromText']>): unknown {
  if (reading.ok) return reading.value;
  return reading.flaws.map(({ path, found, message }) => `${path}|${found ?? ''}|${message}`);
}

function readsText<T>(kind: Kind<T>, cases: readonly (readonly [string, unknown])[]): void {
  for (const [source, expected] of cases) assert.deepEqual(outcome(kind.fromText(source)), expected, source);
}

function readsValues<T>(kind: Kind<T>, cases: readonly (readonly [unknown, unknown])[]): void {
  for (const [value, expected] of cases) assert.deepEqual(outcome(kind.fromValue(value)), expected, String(value));
}

test('text', () => {
  readsText(text(), [['a b', 'a b']]);
  readsValues(text(), [
    [' a ', 'a'],
    ['', ['||is empty']],
    [3, ['|3|is not a string']],
    [new Date(0), ['|1970-01-01T00:00:00.000Z|is not a string']],
  ]);
  readsValues(textOrEmpty(), [['', '']]);
});

test('integer', () => {
  const port = ['is not a whole number from 0 to 65535'];
  readsText(integer(0, 65535), [
    ['0', 0],
    ['65535', 65535],
    ['65536', [`|'65536'|${port}`]],
    ['-1', [`|'-1'|${port}`]],
    ['8765.0', [`|'8765.0'|${port}`]],
    ['0x10', [`|'0x10'|${port}`]],
    ['1e3', [`|'1e3'|${port}`]],
  ]);
  readsText(integer(1), [['0', ["|'0'|is not a whole number of 1 or more"]]]);
  readsValues(integer(0, 65535), [
    [80, 80],
    [80.5, [`|80.5|${port}`]],
    ['80', [`|'80'|${port}`]],
    [9007199254740993n, [`|9007199254740993|${port}`]],
    [true, [`|true|${port}`]],
  ]);
});

test('numbers', () => {
  readsText(positive(), [
    ['0.5', 0.5],
    ['1e3', 1000],
    ['.5', 0.5],
    ['0', ["|'0'|is not a number above 0"]],
    ['Infinity', ["|'Infinity'|is not a number above 0"]],
    ['1e999', ["|'1e999'|is not a number above 0"]],
    ['ten', ["|'ten'|is not a number above 0"]],
  ]);
  readsValues(atLeast(0), [
    [0, 0],
    [Number.NaN, ['|NaN|is not a number of 0 or more']],
    [-0.1, ['|-0.1|is not a number of 0 or more']],
  ]);
});

test('flag', () => {
  readsText(flag(), [
    ['TRUE', true],
    ['1', true],
    ['on', true],
    ['no', false],
    ['0', false],
    ['maybe', ["|'maybe'|is neither true nor false"]],
  ]);
  readsValues(flag(), [
    [true, true],
    ['true', ["|'true'|is neither true nor false"]],
    [1, ['|1|is neither true nor false']],
  ]);
});

test('choice', () => {
  readsText(choice('a', 'b'), [
    ['a', 'a'],
    ['A', ["|'A'|is not one of 'a', 'b'"]],
  ]);
  readsText(choiceInAnyCase('INFO', 'ERROR'), [
    ['info', 'INFO'],
    ['loud', ["|'loud'|is not one of 'INFO', 'ERROR'"]],
  ]);
  readsValues(choice('a', 'b'), [
    ['b', 'b'],
    [['a'], ['|a list|is not a string']],
  ]);
});

test('paths are completed from the home and working directories', () => {
  const places = { home: '/home/ada', cwd: '/srv' };
  const settle = (written: string) => path().settle?.(written, places);
  assert.deepEqual(['~', '~/x', '/x', 'x', '~ada/x'].map(settle), [
    '/home/ada',
    '/home/ada/x',
    '/x',
    '/srv/x',
    '/srv/~ada/x',
  ]);
  readsValues(path(), [
    ['', ['||is empty']],
    ['a\0b', ['||holds a NUL byte']],
    [1, ['|1|is not a string']],
  ]);
  assert.equal(pathOrJson().settle?.('{"a":1}', places), '{"a":1}');
  assert.equal(pathOrJson().settle?.('~/key.json', places), '/home/ada/key.json');
  readsText(pathOrJson(), [['{"a":', ['||starts like a JSON object but is not one']]]);
});

test('URLs', () => {
  readsText(url(), [
    ['https://a.example/', 'https://a.example'],
    ['http://a.example:80/b//', 'http://a.example:80/b'],
    ['a.example', ["|'a.example'|is not a URL that starts with http:// or https://"]],
    ['ftp://a.example', ["|'ftp://a.example'|is not a URL that starts with http:// or https://"]],
    ['http://a.example?b', ["|'http://a.example?b'|has a query or a fragment; give the bare URL"]],
  ]);
  readsText(postgresUrl(), [
    ['postgresql://u:p@h/db', 'postgresql://u:p@h/db'],
    ['postgresql://u@/db?host=/run/pg', 'postgresql://u@/db?host=/run/pg'],
    ['postgres://h/db', ['||is not a URL that starts with postgresql://']],
    ['mysql://h/db', ['||is not a URL that starts with postgresql://']],
  ]);
  readsText(databaseUrl(), [
    ['sqlite:////srv/catalog.db', 'sqlite:////srv/catalog.db'],
    ['catalog.db', ['||is not a URL with a scheme']],
  ]);
});

test('hosts, origins, headers and path prefixes', () => {
  readsText(host(), [
    ['0.0.0.0', '0.0.0.0'],
    ['[::1]', '::1'],
    ['http://a', ["|'http://a'|is not a host name or an IP address (no scheme, port or path)"]],
    ['a:80', ["|'a:80'|is not a host name or an IP address (no scheme, port or path)"]],
  ]);
  assert.deepEqual(['*', 'a.example', '.example', '::1'].map(hostPatternFlaw), [null, null, null, null]);
  assert.match(String(hostPatternFlaw('https://a.example')), /^is not a host name/);
  assert.deepEqual(['*', 'https://a.example', 'http://a:81', 'https://A.example/', 'a.example'].map(originFlaw), [
    null,
    null,
    null,
    'is not an origin; write https://a.example',
    'is not an origin such as https://app.example',
  ]);
  readsText(headerName(), [
    ['X-A', 'X-A'],
    ['X A', ["|'X A'|is not an HTTP header name"]],
  ]);
  readsText(basePath(), [
    ['svc/', '/svc'],
    ['/a/b/', '/a/b'],
    ['/', ''],
    ['/a/../b', ["|'/a/../b'|is not a URL path such as /svc"]],
    ['/a?b', ["|'/a?b'|is not a URL path such as /svc"]],
  ]);
});

test('comma lists may be written as JSON', () => {
  readsText(commaList('names'), [
    ['a, b,,c ', ['a', 'b', 'c']],
    ['["a", "b,c"]', ['a', 'b,c']],
    ['[a]', ["|'[a]'|is not a JSON array"]],
    ['[1]', ['|1|is not a string; put quotes around it']],
  ]);
  readsValues(commaList('names'), [
    [['a'], ['a']],
    ['a,b', ['a', 'b']],
    [['a', ''], ["|''|is empty"]],
    [{ a: 1 }, ['|a table|is not a list of strings']],
  ]);
  readsText(
    commaList('hosts', (entry) => (entry === 'bad' ? 'is bad' : null)),
    [['ok,bad,bad', ["|'bad'|is bad", "|'bad'|is bad"]]],
  );
});

test('JSON arrays may not be written with commas alone', () => {
  readsText(jsonArray('names'), [
    ['["a"]', ['a']],
    ['[]', []],
  ]);
  const reading = jsonArray('names').fromText('a, b');
  assert.deepEqual(reading, {
    ok: false,
    flaws: [
      {
        path: '',
        found: null,
        message: 'must be a JSON array, not a comma-separated list',
        remedy: 'write ["a","b"]',
      },
    ],
  });
  assert.deepEqual(jsonArray('names').fromValue('a, b'), reading);
  readsValues(jsonArray('names'), [
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
  ]);
});

test('JSON objects report where and what', () => {
  const inner = z.strictObject({
    size: z.int().min(1),
    mode: z.enum(['a', 'b']).optional(),
    tags: z.array(z.string()),
  });
  const fixedKeys = jsonObject('an object', z.strictObject({ inner }), { keys: ['size', 'mode', 'tags'] });
  readsText(fixedKeys, [
    ['{"inner":{"size":2,"tags":[]}}', { inner: { size: 2, tags: [] } }],
    ['[]', ['||is not an object']],
    [
      '{"inner":{"size":0,"mode":"c","tags":["x",1]}}',
      ['.inner.size||must be 1 or more', ".inner.mode||is not one of 'a', 'b'", '.inner.tags.1||is not a string'],
    ],
    [
      '{"inner":{"szie":2,"tags":[],"zzz":1}}',
      ['.inner.size||is required', '.inner.szie||unknown key; did you mean size?', '.inner.zzz||unknown key'],
    ],
  ]);
  const named = jsonObject('an object', z.record(z.string(), inner), { named: true });
  readsValues(named, [[{ 'my one': { size: 1 } }, ["['my one'].tags||is required"]]]);
  readsText(named, [['{"a": 1,}', ['||is not an object (JSON breaks at position 8)']]]);
});
