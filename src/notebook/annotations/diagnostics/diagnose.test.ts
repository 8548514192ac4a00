// One notebook per row of the contract's table of codes: sources and facts in, diagnostics out.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CellLanguage } from '../../../cellLanguages.ts';
import type { ModuleFacts } from '../../../engine/index.ts';
import { buildDag } from '../../dag/index.ts';
import { type Cell, type Notebook, nothingFetched } from '../../document/index.ts';
import { randomNumbers, seed } from '../../testing.ts';
import { type AnalysedFacts, diagnose, graphNames, importedNames, parseAnnotations } from '../index.ts';

interface Given {
  readonly language?: CellLanguage;
  readonly facts?: AnalysedFacts & { readonly references?: readonly string[] };
  readonly others?: Readonly<Record<string, { source: string; facts?: AnalysedFacts }>>;
  readonly notebook?: Partial<Notebook>;
  readonly ignoresNotebookWorkers?: boolean;
}

const emptyNotebook: Notebook = {
  directory: '/nb',
  text: '',
  id: 'n',
  name: 'N',
  createdAt: null,
  updatedAt: null,
  worker: null,
  timeout: null,
  reactive: false,
  keepsWidgets: false,
  strictPackages: false,
  env: {},
  fetched: nothingFetched,
  ai: null,
  secretManager: {},
  mounts: [],
  workers: [],
  connections: [],
  malformedConnections: [],
  catalogs: {},
  r: {},
  variantGroups: [],
  cells: [],
  problems: [],
};

function cellOf(id: string, source: string, language: CellLanguage = 'python'): Cell {
  const keys = { worker: null, timeout: null, env: {}, mounts: [], createdBy: null, updatedBy: null };
  return { ...keys, id, file: `${id}.py`, language, order: 0, source, testSource: '' };
}

/** Diagnostics of the cell `me`, which stands below the others. */
function diagnosticsOf(source: string, given: Given = {}) {
  const all = new Map<string, { source: string; facts?: AnalysedFacts & { references?: readonly string[] } }>([
    ...Object.entries(given.others ?? {}),
    ['me', { source, ...(given.facts === undefined ? {} : { facts: given.facts }) }],
  ]);
  const cells = [...all].map(([id, one]) => cellOf(id, one.source, id === 'me' ? given.language : 'python'));
  const notebook = { ...emptyNotebook, ...given.notebook, cells };
  const dagCells = [...all].map(([id, { source: text, facts }]) =>
    graphNames(
      id,
      {
        defines: facts?.defines ?? [],
        references: facts?.references ?? [],
        builtinReferences: [],
        discardedReads: [],
        mutationDefines: [],
      },
      parseAnnotations(text),
    ),
  );
  const context = {
    dag: buildDag(dagCells, notebook.variantGroups),
    workers: new Set(['gpu']),
    ignoresNotebookWorkers: given.ignoresNotebookWorkers ?? false,
    sqlDrivers: new Set(['sqlite', 'duckdb']),
  };
  const facts = new Map([...all].flatMap(([id, one]) => (one.facts === undefined ? [] : [[id, one.facts] as const])));
  return diagnose(notebook, facts, context).get('me') ?? [];
}

const moduleFacts: ModuleFacts = { exports: [], loadNeeds: [], lambdas: [], starImport: false, complete: false };
const worker = { name: 'mine', backend: 'executor', runtime_id: null, config: {} } as const;
const mount = { name: 'raw', uri: 's3://b', mode: 'ro', pin: null, options: {}, credential: null } as const;
// biome-ignore lint/suspicious/noTemplateCurlyInString: this is how a file refers to a variable
const indirection = '${T}';
const connection = { name: 'db', driver: 'sqlite', auth: {}, options: {}, credential: null, extras: {} };
const sweep = (active = ''): Partial<Notebook> => ({ variantGroups: [{ group: 'g', active, mode: 'sweep' }] });
const member = (name: string) => ({ source: `# @variant g ${name}`, facts: { defines: ['m'] } });
const two = { a: member('a'), b: member('b') };

const cases: [
  title: string,
  source: string,
  given: Given,
  codes: [severity: string, code: string, line: number | null][],
][] = [
  ['nothing', 'x = 1', {}, []],
  ['worker_unknown', '\n# @worker tpu', {}, [['warn', 'worker_unknown', 2]]],
  ['worker known or local', '# @worker gpu', {}, []],
  [
    'worker of the notebook',
    '# @worker mine',
    { notebook: { workers: [worker] }, ignoresNotebookWorkers: true },
    [['warn', 'worker_unknown', 1]],
  ],
  [
    'mount_uri_unsupported',
    '# @mount a ftp://x\n# @mount b /data',
    {},
    [
      ['warn', 'mount_uri_unsupported', 1],
      ['warn', 'mount_uri_unsupported', 2],
    ],
  ],
  [
    'mount_shadows_notebook',
    '# @mount raw gs://x',
    { notebook: { mounts: [mount] } },
    [['info', 'mount_shadows_notebook', 1]],
  ],
  ['tables', '# @table t lake:nyc.trips\n# @table u file:///w#db.t\n# @table v a.b.c', {}, []],
  [
    'table_uri_malformed',
    '# @table t trips\n# @table u file:///w#t\n# @table v lake:t',
    {},
    [
      ['warn', 'table_uri_malformed', 1],
      ['warn', 'table_uri_malformed', 2],
      ['warn', 'table_uri_malformed', 3],
    ],
  ],
  ['table_shadows_define', '# @table t a.b', { facts: { defines: ['t'] } }, [['warn', 'table_shadows_define', 1]]],
  ['table_duplicate_name', '# @table t a.b\n# @table t a.c', {}, [['error', 'table_duplicate_name', 1]]],
  [
    'timeout and env in order of lines',
    '# @env A\n# @timeout\n# @env =b\n# @timeout -1',
    {},
    [
      ['warn', 'env_malformed', 1],
      ['warn', 'timeout_not_numeric', 2],
      ['warn', 'env_malformed', 3],
      ['warn', 'timeout_not_numeric', 4],
    ],
  ],
  [
    'resources that cannot be read, and those of a cell that runs here',
    '# @resources cpus=few\n# @retry often\n# @resources cpus=2',
    {},
    [
      ['warn', 'resources_malformed', 1],
      ['warn', 'retry_malformed', 2],
      ['info', 'resources_ignored', 1],
    ],
  ],
  [
    'where it stands in the app, in words that nobody knows',
    '# @app left\n# @app hide\n# @app width 1/2\n# @app width 2',
    {},
    [
      ['warn', 'app_malformed', 1],
      ['warn', 'app_malformed', 4],
    ],
  ],
  ['resources on a worker', '# @worker gpu\n# @resources cpus=2', {}, []],
  [
    'unreadable inputs',
    '# @fetch a\n# @dataset a b@\n# @write_table a\n# @output_dir 1',
    { language: 'prompt' },
    [
      ['warn', 'fetch_unreadable', 1],
      ['warn', 'dataset_unreadable', 2],
      ['warn', 'write_table_unreadable', 3],
      ['warn', 'output_dir_unreadable', 4],
    ],
  ],
  [
    'after_unknown',
    '# @after a me zz',
    { others: { a: { source: '' } } },
    [
      ['info', 'after_unknown', 1],
      ['info', 'after_unknown', 1],
    ],
  ],
  [
    'loop without anything',
    '# @loop',
    {},
    [
      ['error', 'loop_missing_max_iter', 1],
      ['error', 'loop_missing_carry', 1],
    ],
  ],
  [
    'loop_carry_unknown',
    '# @loop max_iter=1 carry=s',
    { facts: { defines: ['x'] } },
    [['warn', 'loop_carry_unknown', 1]],
  ],
  ['loop in a cell that defines nothing yet', '# @loop max_iter=1 carry=s', {}, []],
  [
    'loop_until_syntax_error',
    '# @loop max_iter=1 carry=s\n# @loop_until a <',
    { facts: { untilError: 'invalid syntax' } },
    [['error', 'loop_until_syntax_error', 2]],
  ],
  [
    'loop_start_from_unknown',
    '# @loop max_iter=1 carry=s start_from=me@iter=0',
    {},
    [['error', 'loop_start_from_unknown', 1]],
  ],
  ['loop in R', '# @loop max_iter=1 carry=s', { language: 'r' }, [['error', 'loop_language_unsupported', 1]]],
  ['variant_malformed', '# @variant g', { language: 'markdown' }, [['warn', 'variant_malformed', 1]]],
  ['a markdown heading', '# @worker tpu\n# @timeout soon', { language: 'markdown' }, []],
  [
    'variant_contract_mismatch',
    '# @variant g c',
    { others: two, facts: { defines: ['n', 'pd'], importedNames: ['pd'] } },
    [['warn', 'variant_contract_mismatch', 1]],
  ],
  [
    'variant_mode_invalid',
    '# @variant g c',
    { notebook: { variantGroups: [{ group: 'g', active: 'c', mode: 'odd' }] } },
    [['warn', 'variant_mode_invalid', 1]],
  ],
  ['variant_active_redundant', '# @variant g c', { notebook: sweep('c') }, [['info', 'variant_active_redundant', 1]]],
  [
    'variant_active_unknown',
    '# @variant g c',
    { notebook: { variantGroups: [{ group: 'g', active: 'd', mode: 'switch' }] } },
    [['warn', 'variant_active_unknown', 1]],
  ],
  [
    'per_variant_write_table_overwrite',
    '# @per_variant\n# @write_table v t overwrite',
    { others: two, notebook: sweep(), facts: { references: ['m'] } },
    [['error', 'per_variant_write_table_overwrite', 2]],
  ],
  [
    'per_variant_on_variant_member',
    '# @variant h x\n# @per_variant nope',
    {},
    [['warn', 'per_variant_on_variant_member', 2]],
  ],
  [
    'per_variant_unknown_group',
    '# @per_variant nope',
    { others: two, notebook: sweep(), facts: { references: ['m'] } },
    [['warn', 'per_variant_unknown_group', 1]],
  ],
  [
    'per_variant_no_sweep_source',
    '# @per_variant',
    { others: two, facts: { references: ['m'] } },
    [['warn', 'per_variant_no_sweep_source', 1]],
  ],
  [
    'per_variant_ambiguous_group',
    '# @per_variant',
    {
      others: { ...two, c: { source: '# @variant h c', facts: { defines: ['k'] } } },
      notebook: { variantGroups: [...(sweep().variantGroups ?? []), { group: 'h', active: '', mode: 'sweep' }] },
      facts: { references: ['m', 'k'] },
    },
    [['warn', 'per_variant_ambiguous_group', 1]],
  ],
  [
    'per_variant_group_of_one',
    '# @per_variant',
    { others: { a: member('a') }, notebook: sweep(), facts: { references: ['m'] } },
    [['info', 'per_variant_group_of_one', 1]],
  ],
  [
    'prompt_output_schema_invalid',
    '# @output_schema [1]',
    { language: 'prompt' },
    [['warn', 'prompt_output_schema_invalid', 1]],
  ],
  [
    'widgets',
    '',
    {
      language: 'widget',
      facts: {
        widget: {
          errors: ['invalid syntax'],
          descriptors: [
            { name: 'a', kind: 'slider', params: { min: 1, max: 1 }, default: 1 },
            { name: 'b', kind: 'number', params: { min: 1 }, default: 0 },
            { name: 'c', kind: 'dropdown', params: { options: ['p'] }, default: 'q' },
            { name: 'd', kind: 'slider', params: { min: 0, max: 1 }, default: 0.5 },
          ],
        },
      },
    },
    [
      ['warn', 'widget_invalid', null],
      ['warn', 'widget_bad_range', null],
      ['warn', 'widget_default_out_of_range', null],
      ['warn', 'widget_default_not_an_option', null],
    ],
  ],
  ['sql_connection_missing', 'SELECT 1', { language: 'sql' }, [['error', 'sql_connection_missing', null]]],
  ['sql_connection_unknown', '# @sql connection=x', { language: 'sql' }, [['warn', 'sql_connection_unknown', 1]]],
  [
    'connection_malformed',
    '# @sql connection=x',
    { language: 'sql', notebook: { malformedConnections: [{ name: 'x', body: {}, error: 'e' }] } },
    [['error', 'connection_malformed', 1]],
  ],
  [
    'connection_driver_unknown',
    '# @sql connection=db',
    { language: 'sql', notebook: { connections: [{ ...connection, driver: 'oracle' }] } },
    [['error', 'connection_driver_unknown', 1]],
  ],
  [
    'connection_auth_literal_secret',
    '# @sql connection=db',
    {
      language: 'sql',
      notebook: { connections: [{ ...connection, auth: { user: 'u', password: 'p', token: indirection, none: '' } }] },
    },
    [
      ['warn', 'connection_auth_literal_secret', 1],
      ['warn', 'connection_auth_literal_secret', 1],
    ],
  ],
  [
    'findings in the query',
    '# @sql connection=db\nSELECT',
    {
      language: 'sql',
      notebook: { connections: [connection] },
      facts: { sql: { parseError: 'e', dynamicTables: ['t'], failure: 'f' } },
    },
    [
      ['warn', 'sql_parse_error', null],
      ['warn', 'sql_dynamic_table', null],
      ['warn', 'sql_analysis_failed', null],
    ],
  ],
  [
    'a dynamic table under another policy',
    '# @sql connection=db\n# @cache forever',
    {
      language: 'sql',
      notebook: { connections: [connection] },
      facts: { sql: { parseError: null, dynamicTables: ['t'], failure: null } },
    },
    [],
  ],
  [
    'cache lines',
    '# @sql connection=db\n# @cache\n# @cache odd\n# @cache ttl=x',
    { language: 'sql', notebook: { connections: [connection] } },
    [
      ['warn', 'cache_policy_unknown', 2],
      ['warn', 'cache_policy_unknown', 3],
      ['warn', 'cache_ttl_invalid', 4],
    ],
  ],
  ['checks of other languages', '# @worker tpu\n# @timeout soon\n# @sql connection=x', { language: 'prompt' }, []],
];

describe('diagnose', () => {
  for (const [title, source, given, codes] of cases) {
    it(title, () => {
      assert.deepEqual(
        diagnosticsOf(source, given).map(({ severity, code, line }) => [severity, code, line]),
        codes,
      );
    });
  }

  it('module_export_blocked names what is read and why it cannot be shared', () => {
    const facts = { defines: ['f'], module: { ...moduleFacts, lambdas: ['f'] } };
    const others = { lib: { source: 'f = lambda: 1', facts } };
    const notebook = { ...emptyNotebook, cells: [cellOf('lib', 'f = lambda: 1'), cellOf('me', 'f()')] };
    const names = { builtinReferences: [], discardedReads: [], mutationDefines: [], references: [], defines: [] };
    const dag = buildDag([
      graphNames('lib', { ...names, defines: ['f'] }, parseAnnotations('')),
      graphNames('me', { ...names, references: ['f'] }, parseAnnotations('')),
    ]);
    const context = { dag, workers: new Set<string>(), ignoresNotebookWorkers: false, sqlDrivers: new Set<string>() };
    assert.deepEqual(diagnose(notebook, new Map([['lib', others.lib.facts]]), context).get('lib'), [
      {
        severity: 'warn',
        code: 'module_export_blocked',
        message:
          "Other cells read f, which cannot be shared: 'f' is a lambda, which has no source of its own: write it as a def",
        line: null,
      },
    ]);
  });

  it('keeps the documented order', () => {
    const source =
      '# @timeout x\n# @loop\n# @table t u\n# @mount m ftp://x\n# @worker tpu\n# @fetch a\n# @per_variant\n# @variant g';
    assert.deepEqual(
      diagnosticsOf(source).map(({ code }) => code),
      [
        'variant_malformed',
        'per_variant_no_sweep_source',
        'fetch_unreadable',
        'worker_unknown',
        'mount_uri_unsupported',
        'table_uri_malformed',
        'timeout_not_numeric',
        'loop_missing_max_iter',
        'loop_missing_carry',
      ],
    );
  });

  it('never throws over random sources in any language', (context) => {
    context.diagnostic(`SVC_TEST_SEED=${seed}`);
    const random = randomNumbers(seed);
    const words = [
      '# @',
      '\n',
      ' ',
      '=',
      'variant',
      'per_variant',
      'loop',
      'mount',
      'table',
      'sql connection=db',
      'cache',
      'env',
      'g',
      'a',
      '://',
      '#',
      '.',
      '\0',
      '\ud800',
      'output_schema {',
    ];
    const languages = ['python', 'prompt', 'sql', 'markdown', 'r', 'widget'] as const;
    for (let round = 0; round < 2000; round += 1) {
      const source = Array.from({ length: random() * 25 }, () => words[Math.floor(random() * words.length)]).join('');
      const language = languages[Math.floor(random() * 6)] ?? 'python';
      const given = { language, others: two, notebook: { ...sweep('a'), connections: [connection] } };
      assert.doesNotThrow(() => diagnosticsOf(source, given), `SVC_TEST_SEED=${seed}: ${JSON.stringify(source)}`);
    }
  });
});

describe('importedNames', () => {
  const sources: [source: string, names: string[]][] = [
    ['import os.path, numpy as np # x\nimport re; y = 1', ['np', 'os', 're']],
    ['from a.b import c as d, e\nfrom . import f\nfrom m import *', ['d', 'e', 'f']],
    ['from a import (\n  b, # note\n  c as d,\n)\n', ['b', 'd']],
    ['from a import \\\n  b', ['b']],
    ['  import inner\nx = 1', []],
  ];
  for (const [source, names] of sources) {
    it(JSON.stringify(source), () => assert.deepEqual(importedNames(source), names));
  }
});
