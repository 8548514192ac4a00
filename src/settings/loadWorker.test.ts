import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SettingsError } from './errors.ts';
import { loadWorkerSettings } from './loadWorker.ts';

const cwd = '/nonexistent';

test('defaults of the worker', () => {
  assert.deepEqual(loadWorkerSettings({ env: { HOME: '/home/ada' }, cwd }), {
    settings: {
      workerToken: null,
      workerConnectToken: null,
      workerMaxConcurrent: null,
      workerGpuSlots: null,
      workerHeartbeatSeconds: null,
      workerMaxInputBytes: 2_147_483_648,
      workerOutputDirPollSeconds: 5,
      workerAllowedHosts: [],
      workerAllowLocalHosts: false,
      workerPython: null,
      workerEnvironment: 'auto',
      workerEnvRoot: '/home/ada/.svc/worker-envs',
      workerEnvRegistryUrl: null,
      workerLaunchId: null,
      notebookCredentials: {},
      notebookMountCredentials: {},
      notebookMountCacheDir: '/home/ada/.svc/mount_cache',
      notebookMountCacheMaxBytes: 21_474_836_480,
      notebookMountCacheMaxIdleDays: 30,
      s3ConnectTimeoutSeconds: 10,
      s3RequestTimeoutSeconds: 30,
      notebookHarnessEnvAllowlist: [],
      notebookCellMemoryMb: null,
      notebookCellProcesses: null,
      notebookCellOpenFiles: null,
      notebookCellFileMb: null,
      notebookCellNiceness: 5,
      notebookObjectCodec: 'cloudpickle',
      logLevel: 'INFO',
      logFormat: 'json',
      tracingEnabled: true,
      otlpEndpoint: null,
      otlpServiceName: 'svc',
    },
    warnings: [],
  });
});

test('flags win over the environment; settings of the server are left alone', () => {
  const env = { SVC_WORKER_GPU_SLOTS: '2', SVC_WORKER_TOKEN: ' t\n', SVC_PORT: 'not ours' };
  const { settings } = loadWorkerSettings({ env, cwd, overrides: { workerGpuSlots: 4 } });
  assert.deepEqual([settings.workerGpuSlots, settings.workerToken], [4, 't']);
});

test('slots must be right, sizes fall back', () => {
  const env = { SVC_WORKER_MAX_CONCURRENT: '0', SVC_WORKER_TOKEN: 't' };
  assert.throws(
    () => loadWorkerSettings({ env, cwd }),
    new SettingsError([
      "SVC_WORKER_MAX_CONCURRENT: '0' is not a whole number of 1 or more; correct it, or remove it to use the default",
    ]),
  );
  const { settings, warnings } = loadWorkerSettings({ env: { SVC_WORKER_MAX_INPUT_BYTES: 'much' }, cwd });
  assert.equal(settings.workerMaxInputBytes, 2_147_483_648);
  assert.equal(warnings.length, 1);
});
