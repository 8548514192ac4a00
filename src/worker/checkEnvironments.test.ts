import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SettingsError } from '../settings/index.ts';
import { checkEnvironments } from './checkEnvironments.ts';

const nothing = {
  workerPython: null,
  workerEnvironment: 'auto',
  workerEnvRegistryUrl: null,
  notebookHarnessEnvAllowlist: [],
} as const;

test('a worker that can install no locked environment is not started for them alone', async () => {
  const locked = { ...nothing, workerEnvironment: 'locked' } as const;
  await assert.rejects(
    checkEnvironments(locked, undefined),
    new SettingsError([
      '--environment locked: uv is not on the path of this worker, and no registry of environments is set; install uv, set SVC_WORKER_ENV_REGISTRY_URL, or start with --environment auto',
    ]),
  );
  await checkEnvironments(locked, '/usr/bin/uv');
  await checkEnvironments({ ...locked, workerEnvRegistryUrl: 'https://envs.example' }, undefined);
  await checkEnvironments(nothing, undefined);
});
