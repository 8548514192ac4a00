// Refusals about tables: their addresses, their catalogs, scans over them and the streams of scans.
import { Refusal } from './refusal.ts';

const grouped = (count: number): string => count.toLocaleString('en-US');
const seconds = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value));

export const tableRefusals = {
  scanNeedsOneInput: () => new Refusal('invalid', 'scan@v1 transform requires exactly one input'),

  scanInputIsArtifact: () => new Refusal('invalid', 'scan@v1 transform input must be a table URI, not an artifact'),

  scanParamsInvalid: (reason: string) => new Refusal('invalid', `Invalid scan@v1 params: ${reason}`),

  tableAddressInvalid: (table: string) =>
    new Refusal('invalid', `Invalid table_id '${table}': expected 'namespace.table' format`),

  warehouseNotFound: (path: string) => new Refusal('not_found', `Warehouse not found: ${path}`),

  warehouseNeedsSqlCatalog: (kind: string) =>
    new Refusal(
      'invalid',
      `The catalog of this server is a ${kind} catalog, so a table address cannot name a warehouse. Use '<namespace>.<table>'.`,
    ),

  warehouseNeedsCatalogUri: () =>
    new Refusal(
      'invalid',
      'A table in an object-store warehouse needs a catalog database: set SVC_CATALOG_URI on the server.',
    ),

  catalogCredentialUnusable: (catalog: string, reason: string) =>
    new Refusal('invalid', `Catalog '${catalog}' cannot be used. ${reason}`),

  tableAbsent: (uri: string) => new Refusal('not_found', `Table not found: ${uri}`),

  snapshotAbsent: (message: string) => new Refusal('not_found', message),

  scanInvalid: (message: string) => new Refusal('invalid', message),

  tableUnreadable: (message: string) => new Refusal('unprocessable', message),

  storageUnreachable: (uri: string) =>
    new Refusal('unavailable', `The object store holding ${uri} could not be reached; retry shortly.`, {
      retryAfterSeconds: 5,
    }),

  catalogUnreachable: (uri: string) =>
    new Refusal('unavailable', `The catalog of ${uri} could not be reached; retry shortly.`, { retryAfterSeconds: 5 }),

  planningTimedOut: (limitSeconds: number) =>
    new Refusal('timeout', `Planning timed out after ${seconds(limitSeconds)}s.`),

  scanTimedOut: (limitSeconds: number) =>
    new Refusal('timeout', `The scan did not finish within ${seconds(limitSeconds)}s. Ask for fewer rows or columns.`),

  fetchTimedOut: (limitSeconds: number) =>
    new Refusal('timeout', `A row group could not be read within ${seconds(limitSeconds)}s.`),

  tooManyRowGroups: (count: number, limit: number) =>
    new Refusal('invalid', `Query would read ${count} row groups, exceeding limit of ${limit}.`),

  responseTooLarge: (estimate: number) =>
    new Refusal('too_large', `Estimated response size (${grouped(estimate)} bytes) exceeds limit.`),

  responseGrewTooLarge: (limit: number) =>
    new Refusal('too_large', `The response is larger than the limit of ${grouped(limit)} bytes.`),

  artifactModeNeedsStore: () =>
    new Refusal('invalid', "mode='artifact' requires an artifact store, and this deployment keeps none."),

  streamNotFound: (id: string) => new Refusal('not_found', `Stream ${id} not found`),

  streamExpired: () => new Refusal('gone', 'Nobody fetched the stream in time; ask for it again.'),

  streamHidden: (id: string, hidden: boolean) =>
    hidden ? new Refusal('not_found', `Stream ${id} not found`) : new Refusal('forbidden', 'Access denied'),

  tableStateGone: (uri: string) =>
    new Refusal('unprocessable', `The state of ${uri} that was asked for can no longer be read; ask for it again.`),

  buildNotFound: () => new Refusal('not_found', 'Build not found'),

  buildHidden: (hidden: boolean) =>
    hidden ? new Refusal('not_found', 'Build not found') : new Refusal('forbidden', 'Access denied'),

  buildOver: (state: string) =>
    new Refusal('invalid', `Build is not in pending or building state (state=${state}); ask for a new one`),

  buildClaimed: () =>
    new Refusal('conflict', 'Build was claimed by the local runner; wait for it, or for its lease to end'),

  buildHeldByRunner: () => new Refusal('conflict', 'Build is already being executed by the local runner'),

  buildLeaseLapsed: () =>
    new Refusal('conflict', 'Build lease was renewed or reclaimed meanwhile; fetch the manifest again'),

  buildLeaseLost: () => new Refusal('conflict', 'Build lease is no longer held by this caller; nothing was published'),

  buildTakesNoFiles: () => new Refusal('conflict', 'No run is receiving files for this build'),

  manifestsNotIssued: () =>
    new Refusal(
      'not_found',
      'Build manifests are only issued with trusted-proxy auth in service mode; set SVC_AUTH_MODE=trusted_proxy',
    ),

  pulledInputUnresolved: (uri: string) =>
    new Refusal('invalid', `Cannot resolve input artifact: ${uri}. Builds over tables run on the server only.`),

  resultNotArrow: (reason: string) => new Refusal('invalid', `Invalid Arrow IPC format: ${reason}`),

  warmJobNotFound: () => new Refusal('not_found', 'Job not found'),

  warmJobOver: () => new Refusal('not_found', 'Job not found or already completed'),

  inputUnresolved: (uri: string) => new Refusal('invalid', `${uri} does not stand for a version`),

  artifactInputMalformed: (uri: string) => new Refusal('invalid', `Invalid artifact URI: ${uri}`),

  inputKindUnknown: (uri: string) => new Refusal('invalid', `Unknown input URI type: ${uri}`),

  nameInputNotFound: (name: string) => new Refusal('not_found', `Name not found: ${name}`),

  reservedParams: (keys: readonly string[]) =>
    new Refusal(
      'invalid',
      `Transform param keys starting with '_' are reserved: [${keys.map((key) => `'${key}'`).join(', ')}]`,
    ),

  transformScopeMissing: (executor: string, scope: string) =>
    new Refusal('forbidden', {
      error: 'insufficient_scope',
      message: `Transform '${executor}' requires the '${scope}' scope.`,
      required_scope: scope,
      executor,
    }),

  tableWriteRefused: (message: string) => new Refusal('invalid', message),

  tableWriteConflict: (message: string) => new Refusal('conflict', message),

  tableNotBrowsable: (reason: string) => new Refusal('invalid', reason),

  tableTooLarge: () =>
    new Refusal(
      'invalid',
      'Looking into this table takes more memory than one process of the server may have; leave out rows or columns in a cell',
    ),

  pageTooLarge: () =>
    new Refusal('too_large', 'These rows take more than 64 MiB: ask for fewer at once (limit), or export the table.'),

  tableTookTooLong: (limitSeconds: number) =>
    new Refusal('timeout', `The table was not gone through within ${limitSeconds} s. Search or sort fewer rows.`),

  notATable: (id: string, contentType: string) =>
    new Refusal('invalid', `Artifact ${id} is ${contentType}, not a table`),
} as const;
