// Read from the environment alone: observability, the addresses client programs use, and everything `svc-worker`
// reads. The server lists the worker's settings but never judges their values.

import {
  choice,
  choiceInAnyCase,
  commaList,
  flag,
  hostPatternFlaw,
  integer,
  path,
  positive,
  text,
  url,
} from '../kinds/index.ts';
import { fixed, type Marks, optional, setting, unset, unsetMeans } from '../row.ts';

const environmentOnly = { environmentOnly: true };
const client = { environmentOnly: true, program: 'client' } satisfies Partial<Marks>;
const worker = { environmentOnly: true, program: 'worker' } satisfies Partial<Marks>;

export const observabilityRows = {
  logLevel: setting(
    choiceInAnyCase('DEBUG', 'INFO', 'WARNING', 'ERROR', 'CRITICAL'),
    fixed('INFO'),
    'Least severe messages that are logged.',
    environmentOnly,
  ),
  logFormat: setting(choice('json', 'text'), fixed('json'), 'Log lines for machines or for people.', environmentOnly),
  tracingEnabled: setting(
    flag(),
    fixed(true),
    'Export traces when the tracing packages are installed and an endpoint is set.',
    environmentOnly,
  ),
  metricsEnabled: setting(flag(), fixed(true), 'Serve metrics.', environmentOnly),
  otlpEndpoint: optional(url(), unset, 'Collector that traces are sent to.', {
    ...environmentOnly,
    environmentName: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    // Set for every program of a machine, sometimes in forms meant for another protocol.
    forgiving: true,
  }),
  otlpServiceName: setting(text(), fixed('svc'), 'Name of this service in traces.', {
    ...environmentOnly,
    environmentName: 'OTEL_SERVICE_NAME',
  }),
};

export const clientRows = {
  serverUrl: optional(
    url(),
    unsetMeans('http://127.0.0.1:8765, or SVC_HOST and SVC_PORT'),
    'Server that clients talk to; wins over host and port.',
    client,
  ),
  tuiServer: setting(url(), fixed('http://localhost:8765'), 'Server that the terminal viewer talks to.', client),
};

export const workerRows = {
  workerToken: optional(text(), unset, 'Bearer token the worker asks of its callers.', { ...worker, secret: true }),
  workerConnectToken: optional(text(), unset, 'Token a worker that dials out presents to its relay.', {
    ...worker,
    secret: true,
  }),
  workerMaxConcurrent: optional(integer(1), unsetMeans('unlimited'), 'Cells the worker runs at a time.', worker),
  workerGpuSlots: optional(integer(1), unset, 'GPUs handed out, one to each running cell.', worker),
  workerHeartbeatSeconds: optional(
    positive(),
    unset,
    'Seconds after which the pool route starts to answer, so that proxies do not cut an idle request.',
    worker,
  ),
  workerMaxInputBytes: setting(integer(1), fixed(2_147_483_648), 'Largest input the worker downloads.', {
    ...worker,
    forgiving: true,
  }),
  workerOutputDirPollSeconds: setting(positive(), fixed(5), 'Seconds between looks for finished output files.', {
    ...worker,
    forgiving: true,
  }),
  workerAllowedHosts: setting(
    commaList('host names', hostPatternFlaw),
    fixed([]),
    'Hosts the worker may fetch from on private addresses; a leading dot matches every name below it.',
    worker,
  ),
  workerAllowLocalHosts: setting(
    flag(),
    fixed(false),
    'Let the worker fetch from any address; for tests and local development only.',
    worker,
  ),
  workerPython: optional(
    path(),
    unsetMeans('VIRTUAL_ENV, CONDA_PREFIX, or the first python3 on the PATH'),
    'Interpreter of Python cells that bring no locked environment.',
    worker,
  ),
  workerEnvironment: setting(
    choice('auto', 'locked', 'own'),
    fixed('auto'),
    "Whether cells run in the notebook's locked environment, in the worker's own, or in the locked one where there is one.",
    worker,
  ),
  workerEnvRoot: setting(path(), fixed('~/.svc/worker-envs'), 'Directory of locked environments.', worker),
  workerEnvRegistryUrl: optional(url(), unset, 'Registry of prebuilt environments.', worker),
  workerLaunchId: optional(text(), unset, 'Identity given by the server that launched the worker.', worker),
};
