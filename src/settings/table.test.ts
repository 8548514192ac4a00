import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settingsRows, settingsTable } from './table.ts';

const duplicates = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);

test('every name stands for one setting', () => {
  assert.deepEqual(duplicates(settingsTable.map((entry) => entry.key)), []);
  assert.deepEqual(duplicates(settingsTable.map((entry) => entry.environmentName)), []);
  assert.deepEqual(duplicates(settingsTable.map((entry) => entry.configKey)), []);
});

test('the areas hold the rows of Settings and those of the worker', () => {
  const ofWorker = settingsTable.filter((entry) => entry.row.program === 'worker').map((entry) => entry.key);
  const ofOthers = settingsTable.filter((entry) => entry.row.program !== 'worker').map((entry) => entry.key);
  assert.deepEqual(ofOthers.sort(), Object.keys(settingsRows).sort());
  assert.ok(ofWorker.includes('workerToken'));
});

test('names follow from the key', () => {
  const names = Object.fromEntries(
    settingsTable.map(({ key, environmentName, configKey }) => [key, [environmentName, configKey]]),
  );
  const { notebookStorageDir, artifactS3Bucket, adaptiveTargetP95Ms, s3Region, otlpServiceName } = names;
  assert.deepEqual(
    { notebookStorageDir, artifactS3Bucket, adaptiveTargetP95Ms, s3Region, otlpServiceName },
    {
      notebookStorageDir: ['SVC_NOTEBOOK_STORAGE_DIR', 'notebook_storage_dir'],
      artifactS3Bucket: ['SVC_ARTIFACT_S3_BUCKET', 'artifact_s3_bucket'],
      adaptiveTargetP95Ms: ['SVC_ADAPTIVE_TARGET_P95_MS', 'adaptive_target_p95_ms'],
      s3Region: ['SVC_S3_REGION', 's3_region'],
      otlpServiceName: ['OTEL_SERVICE_NAME', 'otlp_service_name'],
    },
  );
});

test('whatever a program other than the server reads comes from the environment alone', () => {
  const readFromProject = settingsTable.filter(({ row }) => row.program !== 'server' && !row.environmentOnly);
  assert.deepEqual(readFromProject, []);
});

test('every default is a value of its kind', () => {
  for (const mode of ['personal', 'service'] as const) {
    for (const { environmentName, row } of settingsTable) {
      const value = row.default.of({ mode, notebookStorageDir: '/srv/notebooks' });
      if (value === null) continue;
      assert.deepEqual(row.kind.fromValue(value), { ok: true, value }, environmentName);
    }
  }
});
