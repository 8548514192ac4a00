// Every refusal that the service gives, by what it is about. Statuses, keys and codes are the protocol; words are ours.
import { artifactRefusals } from './artifacts.ts';
import { assistRefusals } from './assist.ts';
import { commentRefusals } from './comments.ts';
import { environmentRefusals } from './environments.ts';
import { fileRefusals } from './files.ts';
import { Refusal } from './refusal.ts';
import { signInRefusals } from './signIn.ts';
import { tableRefusals } from './tables.ts';

export const refusals = {
  ...artifactRefusals,
  ...assistRefusals,
  ...commentRefusals,
  ...environmentRefusals,
  ...fileRefusals,
  ...signInRefusals,
  ...tableRefusals,

  insufficientScope: (scope: string) => new Refusal('forbidden', `This route requires the ${scope} scope`),

  notebookSessionsArePersonal: () =>
    new Refusal('forbidden', 'Notebook session APIs are only available in personal mode'),

  artifactRouteIsPersonal: () =>
    new Refusal('forbidden', {
      error: 'writes_disabled',
      message:
        "This artifact endpoint is disabled in service mode. To use it, set deployment_mode='personal' for local development.",
    }),

  pathTraversal: (label: string) => new Refusal('invalid', `Invalid ${label}: path traversal not allowed`),

  pathOutside: (label: string, boundary: string) =>
    new Refusal('invalid', `Invalid ${label}: must be inside ${boundary}`),

  pathUnusable: (label: string, reason: string) => new Refusal('invalid', `Invalid ${label}: ${reason}`),

  cellsNoFolder: () => new Refusal('invalid', 'Invalid notebook path: cells is not a folder'),

  pathForbidden: (label: string) =>
    new Refusal('forbidden', `The ${label} may not be read or written by the server; check its permissions`),

  storageFull: () =>
    new Refusal('unavailable', 'The storage of the server is full: this was not done. Free some space and try again.', {
      retryAfterSeconds: 60,
    }),

  storageReadOnly: () =>
    new Refusal(
      'unavailable',
      'The storage of the server can only be read: this was not done. Try again once it can be written.',
      {
        retryAfterSeconds: 60,
      },
    ),

  tooManyOpenFiles: () =>
    new Refusal('unavailable', 'The server has as many files and connections open as it may have. Try again shortly.', {
      retryAfterSeconds: 5,
    }),

  databaseUnavailable: () =>
    new Refusal(
      'unavailable',
      'The database of the server cannot be reached, so that it is not known whether this was done. Try again shortly.',
      { retryAfterSeconds: 5 },
    ),

  engineCrashed: () =>
    new Refusal(
      'unavailable',
      'A process of the server ended while it worked on this, and another has taken its place. Try again; if that ends it again, ask for less at once.',
      { retryAfterSeconds: 5 },
    ),

  engineUnavailable: () =>
    new Refusal(
      'unavailable',
      'A process that the server needs for this does not start; its log says why. Try again shortly.',
      {
        retryAfterSeconds: 5,
      },
    ),

  notebookNameInvalid: (reason: string) => new Refusal('invalid', reason),

  notebookExists: (directory: string) =>
    new Refusal('conflict', `A notebook already exists at ${directory}. Use Open to open it.`),

  notebookDirectoryNotFound: () => new Refusal('not_found', 'Notebook directory not found'),

  notebookDirectoryIsLink: () =>
    new Refusal('invalid', 'The notebook directory is a link; delete what it leads to instead'),

  runtimeFolderIsLink: (name: string) =>
    new Refusal(
      'invalid',
      `${name} of the notebook is a link; what the server keeps there belongs into a folder of the notebook. Remove the link and open the notebook again.`,
    ),

  notebookFileNotFound: (directory: string) => new Refusal('not_found', `notebook.toml not found at ${directory}`),

  notebookFileInvalid: (place: { file: string; line: number | null; key: string | null }, reason: string) => {
    const line = place.line === null ? '' : `, line ${place.line}`;
    const key = place.key === null ? '' : `, key '${place.key}'`;
    return new Refusal('invalid', `${place.file}${line}${key}: ${reason}`);
  },

  cellFileOutside: (cellId: string, file: string) =>
    new Refusal('invalid', `cell '${cellId}' names a source file outside cells/: '${file}'`),

  cellNotInFile: (cellId: string) => new Refusal('not_found', `Cell ${cellId} not found in notebook.toml`),

  afterCellNotFound: (cellId: string) => new Refusal('invalid', `after_cell_id '${cellId}' not found`),

  notOneOf: (field: string, known: readonly string[]) =>
    new Refusal('invalid', `${field} must be one of ${known.map((one) => `'${one}'`).join(', ')}`),

  noSuchCells: (ids: readonly string[]) =>
    new Refusal('invalid', `No such cell(s) in this notebook: ${ids.join(', ')}`),

  importEmpty: (kind: string) => new Refusal('invalid', `Empty ${kind} upload`),

  importTooLarge: (limit: number) => new Refusal('too_large', `The upload is larger than ${limit} bytes`),

  ipynbNotJson: (reason: string) => new Refusal('invalid', `Invalid .ipynb JSON: ${reason}`),

  importFailed: (reason: string) => new Refusal('invalid', `Import failed: Invalid .ipynb: ${reason}`),

  fieldTooLong: (field: string) => new Refusal('invalid', `The field ${field} is too long`),

  notAZip: () => new Refusal('invalid', 'Upload is not a zip file'),

  snapshotInvalid: (reason: string) => new Refusal('invalid', `This is not a snapshot that can be imported: ${reason}`),

  artifactNotInNotebook: (uri: string) =>
    new Refusal('not_found', `${uri} is not stored by this notebook; take an artifact_uri from the outputs of a cell`),

  tablesUnavailable: () =>
    new Refusal('unavailable', 'Tables are read and written by a running server; start one with npm start'),

  variantUnknown: (group: string, name: string, known: readonly string[]) =>
    new Refusal('invalid', `Group '${group}' has no variant '${name}'; it has ${known.join(', ')}`),

  noTests: (cellId: string) => new Refusal('invalid', `Cell ${cellId} has no tests`),

  notAWidget: (cellId: string) => new Refusal('invalid', `Cell ${cellId} is not a widget cell`),

  noWidgetValues: (controls: readonly string[]) =>
    new Refusal(
      'invalid',
      controls.length === 0
        ? 'No valid widget values in update: the cell has no widgets now'
        : `No valid widget values in update: name widgets that the cell has now (${controls.join(', ')}) and values that they can take`,
    ),

  testsArePython: () => new Refusal('invalid', 'Cell tests are only supported for Python cells'),

  textNotStorable: () =>
    new Refusal('invalid', 'A text of the request holds a NUL character, which the database cannot keep; remove it'),

  textNotUnicode: (label: string) =>
    new Refusal('invalid', `The ${label} holds half of a surrogate pair, which no file can store; remove it`),

  duplicateName: (kind: string, name: string) => new Refusal('invalid', `duplicate ${kind} name '${name}'`),

  envUnusable: (name: string) =>
    new Refusal(
      'invalid',
      `The environment variable ${JSON.stringify(name)} could not be given to any program: its name must not be empty or hold =, and neither name nor value may hold NUL`,
    ),

  mountSchemeUnsupported: (scheme: string, uri: string) =>
    new Refusal(
      'invalid',
      `Unsupported mount URI scheme '${scheme}' in '${uri}'. Supported: az, azure, file, gcs, gs, s3`,
    ),

  mountUnusable: (reason: string) => new Refusal('invalid', reason),

  connectionUnknown: (name: string) => new Refusal('not_found', `unknown connection '${name}'`),

  connectionRefused: (reason: string) => new Refusal('invalid', reason),

  databaseFailed: (reason: string) => new Refusal('upstream', reason),

  credentialSettingsInvalid: (problems: readonly string[]) => new Refusal('invalid', problems.join('; ')),

  workerReserved: () => new Refusal('invalid', "'local' is reserved for the built-in worker"),

  workersNotEditable: () =>
    new Refusal('forbidden', 'This server uses only the workers of its own registry; notebooks cannot define any'),

  workerNotAllowed: (name: string) =>
    new Refusal('forbidden', `The worker '${name}' is not one that notebooks of this server may use`),

  workerNotFound: (name: string) => new Refusal('not_found', `There is no worker '${name}'`),

  sshFailed: (reason: string) => new Refusal('invalid', reason),

  workerTaken: (name: string) => new Refusal('conflict', `There is a worker '${name}' already`),

  workerTwice: (name: string) => new Refusal('invalid', `The worker '${name}' is listed twice`),

  workerTransportUnknown: (transport: string) =>
    new Refusal('invalid', `unknown worker transport '${transport}'; expected one of: build, direct, manifest, signed`),

  workerEnvironmentUnknown: (environment: string) =>
    new Refusal('invalid', `unknown worker environment '${environment}'; expected one of: auto, locked, own`),

  variantGroupNotFound: (group: string) => new Refusal('not_found', `Variant group '${group}' does not exist`),

  directiveRepeats: (directive: string) =>
    new Refusal('invalid', `@${directive} may stand more than once in a cell; edit the source instead of setting it`),

  directiveValueBroken: (directive: string) =>
    new Refusal('invalid', `The value of @${directive} must stand on one line`),

  notebookNotFound: () => new Refusal('not_found', 'Notebook not found'),

  sessionNotFound: () => new Refusal('not_found', 'Session not found'),

  tableNotFound: (hidden: boolean) =>
    hidden ? new Refusal('not_found', 'Table not found') : new Refusal('forbidden', 'Access denied'),

  crossOrigin: (origin: string) => new Refusal('forbidden', `Cross-origin request from ${origin} is not allowed.`),

  draining: () =>
    new Refusal('unavailable', 'Server is shutting down. Not accepting new requests.', { retryAfterSeconds: 5 }),

  holdFailed: (reason: string) =>
    new Refusal('conflict', {
      message: `Another server could not hold its notebooks still, so that nothing is held: ${reason}`,
      code: 'HOLD_FAILED',
    }),

  outcomeUnknown: () =>
    new Refusal(
      'conflict',
      'The server that has this notebook open ended before it answered: whether the request was carried out is not known. Look at the notebook; another server has it within 15 seconds.',
    ),

  engineNotReady: (reason: string) =>
    new Refusal('unavailable', `The data engine is not ready yet: ${reason}`, { retryAfterSeconds: 5 }),

  transformUnknown: (executor: string, available: readonly string[]) =>
    new Refusal('invalid', {
      error: 'transform_unknown',
      message: `Transform '${executor}' is not registered on this server. Available transforms: [${available.map((ref) => `'${ref}'`).join(', ')}].`,
      executor,
    }),

  transformNotAllowed: (executor: string) =>
    new Refusal('forbidden', {
      error: 'transform_not_allowed',
      message: `Transform '${executor}' is not in this server's registry.`,
      executor,
    }),

  invalidRegex: (reason: string) => new Refusal('invalid', reason),

  tenantNotFound: (tenant: string) => new Refusal('not_found', `Tenant not found: ${tenant}`),

  tableMetricsNotFound: (table: string) => new Refusal('not_found', `No metrics found for table: ${table}`),

  cellLocked: (cellId: string, heldBy: string) =>
    new Refusal('conflict', {
      code: 'cell_locked',
      cell_id: cellId,
      held_by: heldBy,
      message: `${heldBy} changed cell ${cellId} moments ago; send it again with force to take it over`,
    }),

  sourceChanged: (cellId: string, source: string) =>
    new Refusal('conflict', {
      code: 'source_changed',
      cell_id: cellId,
      source,
      message: `Cell ${cellId} was changed meanwhile; look at its text and send yours again with force to replace it`,
    }),

  nameNotAmbiguous: (name: string, reasons: readonly string[]) =>
    new Refusal('conflict', {
      code: 'name_not_ambiguous',
      name,
      message:
        reasons.length === 0
          ? `${name} is not written by several cells: there is nothing to make explicit`
          : `${name} keeps its name: ${reasons.join('; ')}`,
    }),

  nameNotChanged: (name: string, reason: string) =>
    new Refusal('conflict', { code: 'name_not_changed', name, message: reason }),

  cellsNotJoined: (reason: string) => new Refusal('conflict', { code: 'cells_not_joined', message: reason }),

  previewOutdated: () =>
    new Refusal('conflict', {
      code: 'preview_outdated',
      message: 'The notebook was changed since this was looked at; look at it again',
    }),

  /** `texts`: what they wrote and what was asked for, where no answer has to hide it. */
  notebookChanged: (key: string, texts: { readonly theirs?: unknown; readonly ours?: unknown }) =>
    new Refusal('conflict', {
      code: 'notebook_changed',
      key,
      ...texts,
      message: `Another program has just changed ${key} in notebook.toml; look at the notebook as it is now and ask again`,
    }),

  notebookRunning: (cellId: string) => new Refusal('conflict', `Notebook is already executing cell ${cellId}`),

  largeRead: (message: string, cells: readonly object[]) =>
    new Refusal('conflict', { message, code: 'large_read', cells }),

  notebookClosing: () => new Refusal('conflict', 'The notebook is being closed. Open it again to run cells.'),

  closingWhileRunning: () =>
    new Refusal('conflict', 'Closing the session is blocked while notebook execution is running.'),

  deletingWhileRunning: () =>
    new Refusal('conflict', 'Notebook deletion is blocked while notebook execution is running.'),

  cellNotFound: () => new Refusal('not_found', 'Cell not found'),

  cellNotRemembered: (cellId: string) =>
    new Refusal(
      'not_found',
      `Cell ${cellId} was not deleted since the notebook was opened; add a new cell with its source`,
    ),

  questionOver: () =>
    new Refusal('conflict', {
      message: 'This question is over: somebody answered it, or the cell asks no more.',
      code: 'question_over',
    }),

  cellUnknown: (cellId: string) => new Refusal('not_found', `no cell with id '${cellId}'`),

  outputNotFound: (cellId: string, count: number, index: number) =>
    new Refusal(
      'not_found',
      count === 0
        ? `cell '${cellId}' has no display output to save (run it first)`
        : `cell '${cellId}' has ${count} display output(s); no index ${index}`,
    ),

  variantChoiceEmpty: () => new Refusal('invalid', 'Provide `active` and/or `mode`.'),

  notebookGone: (place: string) => new Refusal('not_found', `No notebook found at ${place}`),

  notebookQuiesced: (root: string, secondsLeft: number) =>
    new Refusal('conflict', {
      message: `The notebook is held still for a copy (${root}); try again when it is released, in at most ${Math.ceil(secondsLeft)} more seconds.`,
      code: 'NOTEBOOK_QUIESCED',
    }),

  holdOverlaps: (root: string, held: string, inside: boolean) =>
    new Refusal('conflict', {
      message: inside ? `${held}, inside ${root}, is already held` : `${held} is already held`,
      code: 'NOTEBOOK_QUIESCED',
    }),

  artifactUriMalformed: (uri: string) =>
    new Refusal(
      'invalid',
      uri.startsWith('svc://artifact/') && uri.includes('@v=')
        ? 'Malformed artifact_uri version'
        : 'Malformed artifact_uri',
    ),

  sortDirUnknown: () => new Refusal('invalid', "sort_dir must be 'asc' or 'desc'"),

  filtersNotJson: () => new Refusal('invalid', 'filters must be valid JSON'),

  filtersNotAList: () => new Refusal('invalid', 'filters must be a JSON array'),

  exportFormatUnknown: () => new Refusal('invalid', "fmt must be 'csv' or 'parquet'"),

  notExportable: () => new Refusal('invalid', 'Output is not an exportable table'),

  noSuchColumn: (name: string) =>
    new Refusal('invalid', `This output has no column '${name}': choose one of those that its first page names`),

  unknownRunMode: (mode: string) => new Refusal('invalid', `unknown run mode '${mode}'`),

  pythonNotAvailable: (version: string) =>
    new Refusal('invalid', `Python ${version} is not available for notebook creation`),

  fileNotFound: () => new Refusal('not_found', 'Not Found'),
} as const;
