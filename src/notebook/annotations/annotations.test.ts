// The grammar of section 1 of the contract, table by table.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CellLanguage } from '../../cellLanguages.ts';
import { nothingFetched } from '../document/index.ts';
import { randomNumbers, seed } from '../testing.ts';
import {
  type Annotations,
  annotationFingerprint,
  annotationRecord,
  bodyOf,
  graphNames,
  leadingBlock,
  outputVariable,
  parseAnnotations,
  pinFetch,
  removeDirective,
  resolveEnv,
  resolveMounts,
  resolveTimeout,
  resolveWorker,
  setDirective,
  sourceHash,
  untilSource,
} from './index.ts';

const bare: Annotations = {
  name: null,
  worker: null,
  timeout: null,
  env: {},
  mounts: [],
  tables: [],
  writeTables: [],
  outputDirs: [],
  fetches: [],
  datasets: [],
  nocache: false,
  after: [],
  loop: null,
  variant: null,
  perVariant: null,
  live: false,
  sql: null,
  cache: null,
  prompt: {
    model: null,
    temperature: null,
    maxTokens: null,
    system: null,
    output: null,
    outputSchema: null,
    validateRetries: null,
  },
  resources: null,
  retry: 0,
};
const prompt = (more: Partial<Annotations['prompt']>): Partial<Annotations> => ({
  prompt: { ...bare.prompt, ...more },
});
const mount = (name: string, uri: string, more = {}) => ({
  name,
  uri,
  mode: 'ro' as const,
  pin: null,
  options: {},
  credential: null,
  ...more,
});
const loop = (more = {}) => ({
  maxIter: 0,
  carry: '',
  untilExpr: null,
  startFromCell: null,
  startFromIter: null,
  ...more,
});
const sha = 'AB'.repeat(32);

describe('parseAnnotations', () => {
  const cases: [source: string, says: Partial<Annotations>][] = [
    ['', {}],
    ['x = 1\n# @worker gpu', {}],
    ['\n  # text\n\t#@Worker   gpu  \n#\n# @WORKER cpu\nx', { worker: 'cpu' }],
    ['# @worker gpu\n# @worker', {}],
    ['-- @worker gpu', {}],
    ['# @unknown x', {}],
    ['# @name  My cell ', { name: 'My cell' }],
    ['# @name a\n# @name', { name: 'a' }],
    ['# @timeout 90', { timeout: 90 }],
    ['# @timeout 1_0.5e1\n# @timeout soon', { timeout: 105 }],
    ['# @timeout 0', {}],
    ['# @timeout inf', {}],
    ['# @env A = 1 = 2\n# @env =x\n# @env B\n# @env C=\n# @env D=a\0b', { env: { A: '1 = 2', C: '' } }],
    ['# @mount raw s3://b/p', { mounts: [mount('raw', 's3://b/p')] }],
    [
      '# @mount w file:///d rw odd credential=c',
      { mounts: [mount('w', 'file:///d', { mode: 'rw', credential: 'c' })] },
    ],
    ['# @mount 1x s3://b\n# @mount alone', {}],
    ['# @table trips lake:nyc.trips', { tables: [{ name: 'trips', uri: 'lake:nyc.trips', snapshotPin: null }] }],
    [
      '# @table t u snapshot=9223372036854775807\n# @table t u snapshot=x',
      { tables: [{ name: 't', uri: 'u', snapshotPin: 9223372036854775807n }] },
    ],
    ['# @write_table v a.b append', { writeTables: [{ variable: 'v', table: 'a.b', mode: 'append', on: [] }] }],
    [
      '# @write_table v a.b merge on=x,y',
      { writeTables: [{ variable: 'v', table: 'a.b', mode: 'merge', on: ['x', 'y'] }] },
    ],
    [
      '# @write_table v a.b merge\n# @write_table v a.b append on=x\n# @write_table v a.b\n# @write_table v a.b merge on=x,',
      {},
    ],
    ['# @output_dir out\n# @output_dir a b\n# @output_dir', { outputDirs: ['out'] }],
    ['# @fetch d https://x/y', { fetches: [{ name: 'd', url: 'https://x/y', sha256: null, refetch: 'stale' }] }],
    [
      `# @fetch d u refetch=never sha256=${sha}`,
      { fetches: [{ name: 'd', url: 'u', sha256: sha.toLowerCase(), refetch: 'never' }] },
    ],
    ['# @fetch d u sha256=12\n# @fetch d u odd\n# @fetch d u refetch=maybe', {}],
    ['# @dataset d team/pv', { datasets: [{ variable: 'd', registryName: 'team/pv', alias: null, version: null }] }],
    ['# @dataset d a@b@best', { datasets: [{ variable: 'd', registryName: 'a@b', alias: 'best', version: null }] }],
    ['# @dataset d n@v=3', { datasets: [{ variable: 'd', registryName: 'n', alias: null, version: 3 }] }],
    ['# @dataset d n@\n# @dataset d n@v=0\n# @dataset d n x\n# @dataset d', {}],
    ['# @nocache', { nocache: true }],
    ['# @nocache\n# @nocache OFF', {}],
    ['# @after a, b\n# @after b c', { after: ['a', 'b', 'c'] }],
    ['# @loop max_iter=5 carry=state', { loop: loop({ maxIter: 5, carry: 'state' }) }],
    [
      '# @loop max_iter=5 carry=s =x until= y max_iter=z\n# @loop max_iter=7 start_from=c1@iter=-1',
      { loop: loop({ maxIter: 7, carry: 's', startFromCell: 'c1', startFromIter: -1 }) },
    ],
    ['# @loop until=a<b start_from=c1@3', { loop: loop({ untilExpr: 'a<b' }) }],
    ['# @loop_until loss < 0.1', { loop: loop({ untilExpr: 'loss < 0.1' }) }],
    ['# @loop', { loop: loop() }],
    ['# @variant model rf', { variant: { group: 'model', name: 'rf' } }],
    ['# @variant model rf extra\n# @variant model 1rf\n# @variant', {}],
    ['# @variant modèle été', { variant: { group: 'modèle', name: 'été' } }],
    ['# @per_variant', { perVariant: { group: null } }],
    ['# @per_variant g rest', { perVariant: { group: 'g' } }],
    ['# @live', { live: true }],
    ['# @live 0', {}],
    ['# @sql connection=db', { sql: { connection: 'db', write: false } }],
    ['# @sql connection=db write=Yes odd=1\n# @sql connection=wh', { sql: { connection: 'wh', write: true } }],
    ['# @sql', { sql: { connection: null, write: false } }],
    ['# @cache forever and ever', { cache: { kind: 'forever' } }],
    ['# @cache ttl=60', { cache: { kind: 'ttl', seconds: 60 } }],
    ['# @cache ttl=0\n# @cache\n# @cache Session', {}],
    ['# @model m/1', prompt({ model: 'm/1' })],
    ['# @temperature 0.5\n# @temperature hot', prompt({ temperature: 0.5 })],
    ['# @max_tokens 100\n# @max_tokens 0', prompt({ maxTokens: 100 })],
    ['# @system Be brief.\n# @output json', prompt({ system: 'Be brief.', output: 'json' })],
    [
      '# @output_schema {"a": 1}\n# @validate_retries 2\n# @validate_retries 0',
      prompt({ outputSchema: '{"a": 1}', validateRetries: 2 }),
    ],
    [
      '# @resources cpus=4 memory=8GB gpus=1 time=90m tpu=2',
      { resources: { cpus: 4, memoryBytes: 8e9, gpus: 1, seconds: 5400, custom: { tpu: 2 } } },
    ],
    [
      '# @resources memory=1.5GiB\n# @resources cpus=0\n# @resources cpus=2 memory=lots\n# @resources',
      { resources: { cpus: null, memoryBytes: 1.5 * 2 ** 30, gpus: null, seconds: null, custom: {} } },
    ],
    ['# @retry 2\n# @retry never\n# @retry 0', { retry: 2 }],
    ['\ufeff# @worker gpu\r\n\r# @name n\rx', { worker: 'gpu', name: 'n' }],
  ];
  for (const [source, says] of cases) {
    it(JSON.stringify(source), () => assert.deepEqual(parseAnnotations(source), { ...bare, ...says }));
  }

  it('never throws, whatever the text', (context) => {
    context.diagnostic(`SVC_TEST_SEED=${seed}`);
    const random = randomNumbers(seed);
    // biome-ignore format: fragments read better in rows
    const fragments = [
      '# @', '#', '@', '\n', '\r', '\r\n', ' ', '\t', '=', ',', '@iter=', '-1', '9'.repeat(30), 'e999', '__proto__', 'constructor',
      'name', 'worker', 'timeout', 'env', 'mount', 'table', 'snapshot=', 'write_table', 'merge', 'on=', 'output_dir', 'fetch',
      'sha256=', 'dataset', 'nocache', 'after', 'loop', 'loop_until', 'max_iter=', 'variant', 'per_variant', 'sql', 'cache',
      'ttl=', 'output_schema', '{', '\0', '\ud800', '\udc00', 'é', '𝕏', '\u2028', '\ufeff', 'x', 's3://', ':', '/', '.', '"',
    ];
    for (let round = 0; round < 5000; round += 1) {
      const pieces = Array.from({ length: random() * 30 }, () => fragments[Math.floor(random() * fragments.length)]);
      const source = pieces.join('');
      const message = `SVC_TEST_SEED=${seed}: ${JSON.stringify(source)}`;
      assert.doesNotThrow(() => annotationFingerprint(parseAnnotations(source)), message);
      assert.doesNotThrow(() => annotationRecord(parseAnnotations(source)), message);
      const lines = leadingBlock(source).lines.join('');
      assert.ok(source.startsWith(lines), message);
      assert.equal(lines + bodyOf(source, 'python'), source, message);
      const set = setDirective(source, 'worker', 'gpu');
      assert.equal(parseAnnotations(set).worker, 'gpu', message);
      assert.equal(parseAnnotations(removeDirective(set, 'worker')).worker, null, message);
    }
  });
});

describe('bodyOf', () => {
  const cases: [source: string, language: CellLanguage, body: string][] = [
    ['# @sql connection=a\n\n  SELECT 1\n', 'sql', 'SELECT 1'],
    ['# Heading\nAsk {{ x }} \n', 'prompt', 'Ask {{ x }}'],
    ['# c\n\nx = 1\n# y\n', 'python', 'x = 1\n# y\n'],
    ['# only\n', 'r', ''],
  ];
  for (const [source, language, body] of cases) {
    it(`${language} ${JSON.stringify(source)}`, () => assert.equal(bodyOf(source, language), body));
  }
});

describe('precedence', () => {
  const cell = {
    worker: 'c',
    timeout: 2,
    env: { A: 'cell', API_KEY: '', EMPTY: '' },
    mounts: [mount('m', 's3://cell')],
  };
  const notebook = {
    worker: 'n',
    timeout: 3,
    env: { A: 'nb', B: 'nb', API_KEY: 'k' },
    fetched: nothingFetched,
    mounts: [mount('m', 's3://nb'), mount('n', 's3://n')],
  };
  const none = { worker: null, timeout: null, env: {}, fetched: nothingFetched, mounts: [] };

  it('annotation, then cell, then notebook, then default', () => {
    const said = parseAnnotations('# @worker a\n# @timeout 1\n# @env A=said\n# @mount m s3://said');
    const levels: [Annotations, typeof cell | typeof none, typeof notebook | typeof none][] = [
      [said, cell, notebook],
      [bare, cell, notebook],
      [bare, none, notebook],
      [bare, none, none],
    ];
    assert.deepEqual(
      levels.map((level) => [resolveWorker(...level), resolveTimeout(...level)]),
      [
        [
          { value: 'a', from: 'annotation' },
          { value: 1, from: 'annotation' },
        ],
        [
          { value: 'c', from: 'cell' },
          { value: 2, from: 'cell' },
        ],
        [
          { value: 'n', from: 'notebook' },
          { value: 3, from: 'notebook' },
        ],
        [
          { value: 'local', from: 'default' },
          { value: 300, from: 'default' },
        ],
      ],
    );
    assert.deepEqual(resolveEnv(said, cell, notebook), { A: 'said', B: 'nb', API_KEY: 'k', EMPTY: '' });
    assert.deepEqual(resolveMounts(said, cell, notebook), [mount('m', 's3://said'), mount('n', 's3://n')]);
  });
});

it('the record on the wire has exactly the documented keys', () => {
  const source =
    '# @worker gpu\n# @timeout 90\n# @env A=1\n# @mount raw s3://b/p\n# @table trips lake:nyc.trips\n# @loop max_iter=5 carry=state\n# @variant model rf\n# @nocache';
  assert.equal(
    JSON.stringify(annotationRecord(parseAnnotations(source))),
    '{"name":null,"worker":"gpu","timeout":90,"env":{"A":"1"},' +
      '"mounts":[{"name":"raw","uri":"s3://b/p","mode":"ro","pin":null,"options":{},"credential":null}],' +
      '"tables":[{"name":"trips","uri":"lake:nyc.trips","snapshot_pin":null}],' +
      '"loop":{"max_iter":5,"carry":"state","until_expr":null,"start_from_cell":null,"start_from_iter":null},' +
      '"variant":{"group":"model","name":"rf"}}',
  );
});

it('the fingerprint holds what shapes outputs, and nothing else', () => {
  const of = (source: string) => annotationFingerprint(parseAnnotations(source));
  assert.equal(of('# @worker gpu\n# @env A=1\n# @after b'), null);
  assert.equal(of('# @per_variant'), '{"per_variant":null}');
  assert.equal(
    of('# @loop max_iter=2 carry=s\n# @write_table v t merge on=k\n# @output_dir o'),
    '{"loop":{"carry":"s","max_iter":2,"start_from_cell":null,"start_from_iter":null,"until_expr":null},"output_dir":["o"],' +
      '"write_table":[{"mode":"merge","on":["k"],"table":"t","variable":"v"}]}',
  );
  assert.equal(sourceHash('d', parseAnnotations('# @worker gpu')), 'd');
  assert.notEqual(sourceHash('d', parseAnnotations('# @per_variant')), 'd');
});

describe('editing directives', () => {
  const set: [source: string, name: string, value: string, edited: string][] = [
    ['', 'worker', 'gpu', '# @worker gpu\n'],
    ['x = 1', 'worker', 'gpu', '# @worker gpu\nx = 1'],
    ['# text\nx\n', 'worker', 'gpu', '# @worker gpu\n# text\nx\n'],
    ['# @name n\n# text\nx\n', 'worker', 'gpu', '# @name n\n# @worker gpu\n# text\nx\n'],
    [
      '# @worker a\n# @name n\n  #@Worker b\nx\n# @worker c\n',
      'Worker',
      'gpu',
      '# @worker gpu\n# @name n\nx\n# @worker c\n',
    ],
    ['# @name n', 'worker', 'gpu', '# @name n\n# @worker gpu'],
    ['# @name n\r\nx\n', 'nocache', '', '# @name n\r\n# @nocache\r\nx\n'],
    ['# @variant g a\r\nx', 'variant', 'g a_copy', '# @variant g a_copy\r\nx'],
  ];
  for (const [source, name, value, edited] of set) {
    it(`sets @${name} in ${JSON.stringify(source)}`, () => assert.equal(setDirective(source, name, value), edited));
  }

  it('removes every line of the block', () => {
    assert.equal(removeDirective('# @worker a\n# t\n# @worker b\nx\n# @worker c', 'worker'), '# t\nx\n# @worker c');
    assert.equal(removeDirective('x\n', 'worker'), 'x\n');
  });

  it('refuses what may repeat, and values of several lines', () => {
    for (const name of ['env', 'mount', 'table', 'write_table', 'output_dir', 'fetch', 'dataset']) {
      assert.throws(() => setDirective('', name, 'x'), { name: 'Refusal', kind: 'invalid' });
    }
    assert.throws(() => setDirective('', 'worker', 'a\nimport os'), { kind: 'invalid' });
  });

  it('pins a fetch and keeps its other options', () => {
    assert.equal(
      pinFetch('# @fetch a u\n# @fetch b v sha256=00 \n#  @fetch b w refetch=never\r\nx', 'b', sha),
      `# @fetch a u\n# @fetch b v sha256=00 \n# @fetch b w sha256=${sha} refetch=never\r\nx`,
    );
  });
});

describe('names for the graph', () => {
  const names = {
    defines: ['s', 'x'],
    references: ['out', 'y'],
    builtinReferences: ['print'],
    discardedReads: [],
    mutationDefines: [],
  };
  const rest = {
    builtinReferences: ['print'],
    discardedReads: [],
    late: [],
    mutationDefines: [],
    variant: null,
    perVariant: null,
  };

  it('a loop reads its carry and what its condition reads, an output folder is made', () => {
    const said = parseAnnotations('# @loop max_iter=2 carry=s until=x<z\n# @output_dir out\n# @after b');
    assert.deepEqual(graphNames('c', names, said, ['x', 'z']), {
      ...rest,
      id: 'c',
      defines: ['s', 'x', 'out'],
      references: ['y', 's', 'z'],
      after: ['b'],
      startFrom: null,
    });
  });

  it('a loop that starts from another cell does not read its carry from above', () => {
    const said = parseAnnotations('# @loop max_iter=2 carry=s start_from=l@iter=3');
    assert.deepEqual(graphNames('c', names, said), {
      ...rest,
      id: 'c',
      defines: ['s', 'x'],
      references: ['out', 'y'],
      after: [],
      startFrom: { cellId: 'l', variable: 's' },
    });
  });

  it('the output variable is the name when that can be one', () => {
    const variables = ['# @name rows', '# @name My rows', ''].map((source) => outputVariable(parseAnnotations(source)));
    assert.deepEqual(variables, ['rows', 'result', 'result']);
  });
});

it('the stop condition is asked about as an expression, never as a comment', () => {
  const of = (source: string) => untilSource(parseAnnotations(source).loop ?? { ...loop() });
  assert.deepEqual([of('# @loop'), of('# @loop_until a < b')], [null, '(\na < b\n,)']);
});
