// Transforms, the runner that builds them and the slots and quotas builds share.

import { atLeast, flag, integer, jsonObject, positive, text } from '../kinds/index.ts';
import { fixed, optional, setting, unsetMeans } from '../row.ts';
import { TRANSFORMS_KEYS, transformsConfigSchema } from '../schemas/transforms.ts';

export const transformRows = {
  transformMode: setting(text(), fixed('embedded'), 'Accepted for compatibility; has no effect.'),
  transformsEnabled: optional(
    flag(),
    unsetMeans('as the transforms block says'),
    'Sets `enabled` in the transforms block.',
    { environmentOnly: true },
  ),
  transformsConfig: setting(
    jsonObject('a JSON object with enabled, registry and notebook_workers', transformsConfigSchema, {
      keys: TRANSFORMS_KEYS,
    }),
    fixed({ enabled: false, notebook_workers: [], registry: [] }),
    'Transforms this server offers, and the workers that seed its registry once.',
    { block: 'transforms' },
  ),
  signedUrlExpirySeconds: setting(
    positive(),
    fixed(600),
    'How long a signed build URL is valid; for a signed worker never less than the cell and provisioning timeouts and five minutes.',
  ),
  artifactPresignedUrls: setting(
    flag(),
    fixed(false),
    'Let workers read and write the object store directly with presigned URLs.',
  ),
  transformSigningSecret: optional(
    text(),
    unsetMeans('random for each process'),
    'Key that signs build URLs; nodes of one deployment share it.',
    { secret: true },
  ),
  buildRunnerPollIntervalMs: setting(
    integer(1),
    fixed(500),
    'Milliseconds between looks for builds to run. Builds ordered here are begun at once; what is above 500 is how long each is first left to executors that pull.',
  ),
  buildRunnerMaxConcurrent: setting(integer(1), fixed(10), 'Builds run at a time.'),
  buildRunnerMaxPerTenant: setting(integer(1), fixed(3), 'Builds run at a time for one tenant.'),
  buildRunnerDefaultTimeout: setting(positive(), fixed(300), 'Seconds a build may take unless its transform says.'),
  buildRunnerDefaultMaxOutput: setting(
    integer(1),
    fixed(1_073_741_824),
    'Bytes a build may write unless its transform says.',
  ),
  workerProvisioningTimeoutSeconds: setting(
    positive(),
    fixed(600),
    'Seconds a remote job may wait before it first reports running.',
  ),
};

export const buildQosRows = {
  buildQosInteractiveSlots: setting(integer(1), fixed(16), 'Small builds at a time.'),
  buildQosBulkSlots: setting(integer(1), fixed(8), 'Big builds at a time.'),
  buildQosPerTenantInteractive: setting(integer(1), fixed(4), 'Small builds at a time for one tenant.'),
  buildQosPerTenantBulk: setting(integer(1), fixed(2), 'Big builds at a time for one tenant.'),
  buildQosInteractiveTimeout: setting(atLeast(0), fixed(5), 'Seconds a small build waits for a slot.'),
  buildQosBulkTimeout: setting(atLeast(0), fixed(15), 'Seconds a big build waits for a slot.'),
  buildQosPerTenantTimeout: setting(atLeast(0), fixed(1), 'Seconds a build waits for a slot of its tenant.'),
  buildQosBytesPerDay: optional(
    integer(1),
    unsetMeans('unlimited'),
    'Bytes the builds of a tenant may write in a day.',
  ),
  buildQosBulkBytesThreshold: setting(
    integer(0),
    fixed(104_857_600),
    'A build expected to write more bytes counts as big.',
  ),
  buildQosBulkInputsThreshold: setting(integer(0), fixed(5), 'A build with more inputs counts as big.'),
};
