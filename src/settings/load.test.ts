import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { describeProblems, SettingsError } from './errors.ts';
import { type LoadOptions, loadSettings } from './load.ts';

const root = mkdtempSync(join(tmpdir(), 'svc-settings-'));
after(() => rmSync(root, { recursive: true }));

const nowhere = '/nonexistent';

function project(source: string): string {
  const directory = mkdtempSync(join(root, 'project-'));
  writeFileSync(join(directory, 'pyproject.toml'), source);
  return directory;
}

function problemsOf(options: LoadOptions): readonly string[] {
  try {
    loadSettings(options);
    return [];
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    return error.problems.map((problem) => problem.replaceAll(options.cwd, ''));
  }
}

test('the environment wins over the project file, overrides win over both', () => {
  const cwd = project('[tool.svc]\nport = 1001\nbatch_size = 1002\nfetch_parallelism = 1003\n');
  const { settings, sources } = loadSettings({
    env: { SVC_PORT: '2001', SVC_BATCH_SIZE: '2002' },
    cwd,
    overrides: { port: 3001, fetchParallelism: undefined },
  });
  const { port, batchSize, fetchParallelism, maxFetchWorkers } = settings;
  assert.deepEqual([port, batchSize, fetchParallelism, maxFetchWorkers], [3001, 2002, 1003, 32]);
  assert.deepEqual(
    [sources.port, sources.batchSize, sources.fetchParallelism, sources.maxFetchWorkers],
    ['override', 'environment', 'project', 'default'],
  );
});

test('an empty variable counts as unset', () => {
  const { settings, sources } = loadSettings({ env: { SVC_PORT: '', SVC_PROXY_TOKEN: '  ' }, cwd: nowhere });
  assert.deepEqual([settings.port, sources.port, settings.proxyToken], [8765, 'default', null]);
});

test('overrides are checked like anything else, and null unsets', () => {
  assert.equal(loadSettings({ env: {}, cwd: nowhere, overrides: { artifactDir: null } }).settings.artifactDir, null);
  assert.deepEqual(problemsOf({ env: {}, cwd: nowhere, overrides: { port: 70_000 } }), [
    'SVC_PORT: 70000 is not a whole number from 0 to 65535; correct it, or remove it to use the default',
  ]);
});

test('project values of every kind', () => {
  const cwd = project(`[tool.svc]
host = "localhost"
port = 9_000
plan_timeout_seconds = 2.5
scan_timeout_seconds = 3
mcp_enabled = true
cache_granularity = "row_group"
cache_dir = "cache"
notebook_storage_dir = "~/work"
public_base_url = "https://svc.example/"
allowed_hosts = ["a.example", ".b.example"]
registry_protected_aliases = "prod, staging"
cors_allow_origins = ["https://a.example"]
catalogs = { lake = { type = "rest", uri = "https://catalog.example" } }

[tool.svc.notebook_credentials.lake]
key = "k"

[[tool.svc.acl.deny]]
tables = ["*:secret.*"]

[tool.svc.transforms]
enabled = true
registry = [{ ref = "duckdb_sql@v1", executor_url = "embedded://local" }]
`);
  const { settings, warnings } = loadSettings({ env: { HOME: '/home/ada' }, cwd });
  const defaults = loadSettings({ env: { HOME: '/home/ada' }, cwd: nowhere }).settings;
  assert.deepEqual(warnings, []);
  assert.deepEqual(settings, {
    ...defaults,
    host: 'localhost',
    port: 9000,
    planTimeoutSeconds: 2.5,
    scanTimeoutSeconds: 3,
    mcpEnabled: true,
    cacheGranularity: 'row_group',
    cacheDir: join(cwd, 'cache'),
    notebookStorageDir: '/home/ada/work',
    notebookSharedEnvDir: '/home/ada/envs',
    notebookMountCacheDir: '/home/ada/mount_cache',
    publicBaseUrl: 'https://svc.example',
    allowedHosts: ['a.example', '.b.example'],
    registryProtectedAliases: ['prod', 'staging'],
    corsAllowOrigins: ['https://a.example'],
    catalogs: { lake: { type: 'rest', uri: 'https://catalog.example' } },
    notebookCredentials: { lake: { key: 'k' } },
    aclConfig: {
      default: 'allow',
      deny: [{ principal: '*', tenant: null, tables: ['*:secret.*'] }],
      allow: [],
    },
    transformsConfig: {
      enabled: true,
      notebook_workers: [],
      registry: [
        {
          ref: 'duckdb_sql@v1',
          executor_url: 'embedded://local',
          timeout_seconds: 300,
          max_output_bytes: 0,
          max_input_bytes: 0,
          requires_scope: null,
        },
      ],
    },
  });
});

test('two variables are another way to write one key of a block', () => {
  const cwd = project(
    '[tool.svc.transforms]\nenabled = false\n[tool.svc.catalog_properties]\ntype = "sql"\nuri = "x:"\n',
  );
  const env = { SVC_TRANSFORMS_ENABLED: 'true', SVC_CATALOG_URI: 'sqlite:////srv/catalog.db' };
  const { transformsConfig, catalogProperties } = loadSettings({ env, cwd }).settings;
  assert.equal(transformsConfig.enabled, true);
  assert.deepEqual(catalogProperties, { type: 'sql', uri: 'sqlite:////srv/catalog.db' });
});

test('the settings cannot be changed', () => {
  assert.ok(Object.isFrozen(loadSettings({ env: {}, cwd: nowhere }).settings));
});

test('unknown names give one warning each', () => {
  const cwd = project('[tool.svc]\nprot = 1\nlog_level = "DEBUG"\nworker_token = "x"\nsomething = 1\n');
  const env = { SVC_PROT: '1', SVC_SOMETHING_ELSE: '1', SVC_WORKER_GPU_SLOTS: 'not for us', PATH: '/bin' };
  const { warnings, settings } = loadSettings({ env, cwd });
  assert.deepEqual(
    warnings.map((warning) => warning.replace(cwd, '')),
    [
      'SVC_PROT is not a setting and is ignored; did you mean SVC_PORT?',
      'SVC_SOMETHING_ELSE is not a setting and is ignored',
      'prot in /pyproject.toml is not a setting and is ignored; did you mean port?',
      'log_level in /pyproject.toml is ignored: set SVC_LOG_LEVEL in the environment instead',
      'worker_token in /pyproject.toml is ignored: set SVC_WORKER_TOKEN in the environment instead',
      'something in /pyproject.toml is not a setting and is ignored',
    ],
  );
  assert.equal(settings.logLevel, 'INFO');
});

test('a forgiving setting falls back with a warning', () => {
  const env = { SVC_NOTEBOOK_MAX_BUNDLE_MEMBER_BYTES: '-1' };
  const { settings, warnings, sources } = loadSettings({ env, cwd: nowhere });
  assert.equal(settings.notebookMaxBundleMemberBytes, 2_147_483_648);
  assert.equal(sources.notebookMaxBundleMemberBytes, 'default');
  assert.deepEqual(warnings, [
    "SVC_NOTEBOOK_MAX_BUNDLE_MEMBER_BYTES: '-1' is not a whole number of 1 or more; correct it, or remove it to use the default (which is in force now)",
  ]);
});

test('all problems are found at once, each under the name it was written with', () => {
  const cwd = project('[tool.svc]\nport = "80"\n[[tool.svc.acl.deny]]\ntabels = ["x"]\n');
  const env = { SVC_BATCH_SIZE: 'many', SVC_MULTI_TENANT_ENABLED: 'true', SVC_NOTEBOOK_TEAM_CACHE_ENABLED: '1' };
  assert.deepEqual(problemsOf({ env, cwd }), [
    "port in /pyproject.toml: '80' is not a whole number from 0 to 65535; correct it, or remove it to use the default",
    'acl_config.deny.0.tables in /pyproject.toml: is required',
    'acl_config.deny.0.tabels in /pyproject.toml: unknown key; did you mean tables?',
    "SVC_BATCH_SIZE: 'many' is not a whole number of 1 or more; correct it, or remove it to use the default",
    'SVC_MULTI_TENANT_ENABLED needs authentication: set SVC_AUTH_MODE to trusted_proxy or api_key',
    'SVC_MULTI_TENANT_ENABLED works only in service mode: set SVC_DEPLOYMENT_MODE=service',
    'SVC_NOTEBOOK_TEAM_CACHE_ENABLED needs SVC_NOTEBOOK_REMOTE_STORE_URL, the store to share results with',
  ]);
});

test('a rule about a malformed setting stays silent', () => {
  const sqlCatalog = { SVC_CATALOG_PROPERTIES: '{"type":"sql","warehouse":"s3://b"}', SVC_CATALOG_URI: 'catalog.db' };
  assert.deepEqual(problemsOf({ env: sqlCatalog, cwd: nowhere }), [
    'SVC_CATALOG_URI: the value is not a URL with a scheme; correct it, or remove it to use the default',
  ]);
  assert.deepEqual(problemsOf({ env: { SVC_DEPLOYMENT_MODE: 'servce', SVC_AUTH_MODE: 'api_key' }, cwd: nowhere }), [
    "SVC_DEPLOYMENT_MODE: 'servce' is not one of 'personal', 'service'; correct it, or remove it to use the default",
  ]);
});

test('a malformed secret is not repeated', () => {
  const env = {
    SVC_ARTIFACT_METADATA_DSN: 'mysql://u:hunter2@h/db',
    SVC_NOTEBOOK_REMOTE_STORE_HEADERS: '"hunter2"',
    SVC_NOTEBOOK_REMOTE_STORE_URL: 'ftp://u:hunter2@h',
    SVC_NOTEBOOK_CREDENTIALS: '{"lake": hunter2}',
  };
  assert.deepEqual(problemsOf({ env, cwd: nowhere }), [
    'SVC_NOTEBOOK_CREDENTIALS: the value is not a JSON object {name: {field: value}}; correct it, or remove it to use the default',
    "SVC_NOTEBOOK_REMOTE_STORE_URL: 'ftp://u:***@h' is not a URL that starts with http:// or https://; correct it, or remove it to use the default",
    'SVC_NOTEBOOK_REMOTE_STORE_HEADERS: the value is not a JSON object {header: value}; correct it, or remove it to use the default',
    'SVC_ARTIFACT_METADATA_DSN: the value is not a URL that starts with postgresql://; correct it, or remove it to use the default',
  ]);
});

test('a block and the key it stands for', () => {
  const cwd = project('[tool.svc]\nacl_config = { default = "deny" }\n[tool.svc.acl]\ndefault = "allow"\n');
  assert.deepEqual(problemsOf({ env: {}, cwd }), [
    'acl_config in /pyproject.toml stands beside [tool.svc.acl]; keep one of the two',
  ]);
});

test('a malformed project file is listed beside other problems', () => {
  const cwd = project('[tool.svc\n');
  const [file, port, ...rest] = problemsOf({ env: { SVC_PORT: 'x', SVC_DEPLOYMENT_MODE: 'service' }, cwd });
  assert.match(String(file), /^\/pyproject\.toml, line 1, column \d+: invalid TOML: .*; correct the file$/);
  assert.match(String(port), /^SVC_PORT: 'x'/);
  assert.deepEqual(rest, []);
});

test('the text a program prints', () => {
  assert.equal(describeProblems(new SettingsError(['one'])), 'Svc cannot start: one');
  assert.equal(describeProblems(new SettingsError(['one', 'two'])), 'Svc cannot start:\n  - one\n  - two');
  const mistyped = { SVC_DEPLOYMENT_MODE: 'service', SVC_AUTH_MODE: 'trusted_proxy', SVC_PROXY_TOKN: 't' };
  assert.throws(
    () => loadSettings({ env: mistyped, cwd: nowhere }),
    (error) =>
      error instanceof SettingsError &&
      describeProblems(error) ===
        'Svc cannot start: SVC_AUTH_MODE=trusted_proxy needs SVC_PROXY_TOKEN, the secret shared with the proxy\n' +
          'Note: SVC_PROXY_TOKN is not a setting and is ignored; did you mean SVC_PROXY_TOKEN?',
  );
});
