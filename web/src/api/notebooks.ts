// Notebooks and their cells.
import type {
  AiRecord,
  CellRecord,
  CellResultRecord,
  DatabaseSchemaBody,
  DiscoverBody,
  ForeignReport,
  MountFoundBody,
  MountRecord,
  NotebookState,
  SnapshotReport,
  TablePreviewBody,
} from '../../../src/protocol/index.ts';
import type { FileBeside } from '../filesBeside.ts';
import { ApiError, request, upload } from './client.ts';

export interface ServerConfig {
  readonly deployment_mode: string;
  readonly default_parent_path: string | null;
  readonly available_python_versions: readonly string[];
  readonly default_python_version: string;
  /** Whose pages may show the reading view, besides this server's own; `*`: everybody's. */
  readonly embed_origins: readonly string[];
}

export interface OpenSession {
  readonly session_id: string;
  readonly name: string;
  readonly path: string;
  readonly is_running: boolean;
}

export type DatabaseTable = DatabaseSchemaBody['tables'][number];

const at = (sessionId: string, place: string): string => `/v1/notebooks/${encodeURIComponent(sessionId)}${place}`;

export const discover = (signal?: AbortSignal): Promise<DiscoverBody> =>
  request('GET', '/v1/notebooks/discover?last_runs=true', undefined, signal);

export const openSessions = (): Promise<{ readonly sessions: readonly OpenSession[] }> =>
  request('GET', '/v1/notebooks/sessions');

export const serverConfig = (): Promise<ServerConfig> => request('GET', '/v1/notebooks/config');

export const createNotebook = (wish: {
  readonly parent_path: string;
  readonly name: string;
  readonly python_version: string | null;
  readonly starter_cell: boolean;
}): Promise<NotebookState> => request('POST', '/v1/notebooks/create', wish);

export const openNotebook = (path: string): Promise<NotebookState> => request('POST', '/v1/notebooks/open', { path });

/** Whoever may not change notebooks opens them to read. */
export async function openOrRead(
  path: string,
): Promise<{ readonly state: NotebookState; readonly mayOnlyRead: boolean }> {
  try {
    return { state: await openNotebook(path), mayOnlyRead: false };
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 403)) throw error;
    const words = new URLSearchParams({ path });
    return { state: await request('GET', `/v1/notebooks/read?${words}`), mayOnlyRead: true };
  }
}

export const readSession = (sessionId: string): Promise<NotebookState> =>
  request('GET', `/v1/notebooks/sessions/${encodeURIComponent(sessionId)}`);

/** In their order. On shared servers too, where nobody may ask for sessions by their ids. */
export const readCells = (sessionId: string): Promise<{ readonly cells: readonly CellRecord[] }> =>
  request('GET', at(sessionId, '/cells'));

/** False also while nobody answers. */
export const isSessionGone = (sessionId: string): Promise<boolean> =>
  request('GET', at(sessionId, '/environment')).then(
    () => false,
    (error: unknown) => error instanceof ApiError && error.status === 404,
  );

export const deleteNotebook = (path: string): Promise<unknown> =>
  request('POST', '/v1/notebooks/delete-by-path', { path });

export const renameNotebook = (sessionId: string, name: string): Promise<{ readonly name: string }> =>
  request('PUT', at(sessionId, '/name'), { name });

interface ImportedNotebook extends NotebookState {
  readonly import_report: ForeignReport | SnapshotReport;
}

/** They say which versions of packages are meant. */
const isList = ({ path }: FileBeside): boolean => /^(requirements\.txt|environment\.ya?ml|pyproject\.toml)$/.test(path);

/** The texts of modules in Python, as far as they fit into a request: they say what they import. */
async function namesOf(beside: readonly FileBeside[]): Promise<object[]> {
  let room = 512 * 1024;
  const names: object[] = [];
  for (const { path, file } of beside) {
    const isTold = path.endsWith('.py') && file.size <= room;
    if (isTold) room -= file.size;
    names.push({ path, size: file.size, ...(isTold ? { text: await file.text() } : {}) });
  }
  return names;
}

/** A Jupyter notebook or a script with what is known to lie beside it, or the snapshot of one of ours. */
export const importNotebook = async (
  file: File,
  beside: readonly FileBeside[],
  onProgress: (part: number) => void,
): Promise<ImportedNotebook> => {
  const form = new FormData();
  form.append('file', file);
  for (const list of beside.filter(isList)) form.append('beside', list.file, list.path);
  if (beside.length > 0) form.append('files', JSON.stringify(await namesOf(beside)));
  const route = file.name.endsWith('.zip') ? '/v1/notebooks/import-snapshot' : '/v1/notebooks/import';
  return upload('POST', route, form, onProgress);
};

export const addCell = (
  sessionId: string,
  after: string | null,
  language: CellRecord['language'],
  source?: string,
): Promise<CellRecord> => request('POST', at(sessionId, '/cells'), { after_cell_id: after, language, source });

interface Connections {
  readonly connections: readonly { readonly name: string; readonly driver: string }[];
}

export const connections = (sessionId: string): Promise<Connections> => request('GET', at(sessionId, '/connections'));

export const setConnections = (sessionId: string, wanted: readonly object[]): Promise<Connections> =>
  request('PUT', at(sessionId, '/connections'), { connections: wanted });

export const readSchema = (sessionId: string, name: string): Promise<DatabaseSchemaBody> =>
  request('GET', at(sessionId, `/connections/${encodeURIComponent(name)}/schema`));

/** The first rows of a table. */
export const previewTable = (
  sessionId: string,
  connection: string,
  { catalog, schema, name }: DatabaseTable,
): Promise<TablePreviewBody> =>
  request('POST', at(sessionId, `/connections/${encodeURIComponent(connection)}/preview`), {
    table: name,
    ...(schema === null ? {} : { schema }),
    ...(catalog === null ? {} : { catalog }),
  });

export const testMount = (sessionId: string, mount: MountRecord): Promise<MountFoundBody> =>
  request('POST', at(sessionId, '/mounts/test'), { mount });

export const setMounts = (sessionId: string, mounts: readonly MountRecord[]): Promise<unknown> =>
  request('PUT', at(sessionId, '/mounts'), { mounts });

export const editCell = (sessionId: string, cellId: string, source: string): Promise<unknown> =>
  request('PUT', at(sessionId, `/cells/${cellId}`), { source });

export const deleteCell = (sessionId: string, cellId: string): Promise<unknown> =>
  request('DELETE', at(sessionId, `/cells/${cellId}`));

/** Fails with 404 when the server has forgotten the cell. */
export const restoreCell = (sessionId: string, cellId: string): Promise<CellRecord> =>
  request('POST', at(sessionId, `/cells/${cellId}/restore`));

export const reorderCells = (sessionId: string, cellIds: readonly string[]): Promise<unknown> =>
  request('PUT', at(sessionId, '/cells/reorder'), { cell_ids: cellIds });

export const setKeepsWidgets = (sessionId: string, keep_widgets: boolean): Promise<unknown> =>
  request('PUT', at(sessionId, '/keep-widgets'), { keep_widgets });

export const setStrictPackages = (sessionId: string, strict_packages: boolean): Promise<unknown> =>
  request('PUT', at(sessionId, '/strict-packages'), { strict_packages });

export const setVariantMode = (sessionId: string, group: string, mode: 'switch' | 'sweep'): Promise<unknown> =>
  request('PUT', at(sessionId, `/variant-groups/${encodeURIComponent(group)}`), { mode });

export const setReactive = (sessionId: string, reactive: boolean): Promise<unknown> =>
  request('PUT', at(sessionId, '/reactive'), { reactive });

export const setTimeoutSeconds = (sessionId: string, timeout: number | null): Promise<unknown> =>
  request('PUT', at(sessionId, '/timeout'), { timeout });

export const setEnv = (
  sessionId: string,
  env: Readonly<Record<string, string>>,
): Promise<{ readonly env: Record<string, string> }> => request('PUT', at(sessionId, '/env'), { env });

export const setSecretManager = (sessionId: string, config: Readonly<Record<string, string>>): Promise<unknown> =>
  request('PUT', at(sessionId, '/secret-manager/config'), config);

export const refreshSecrets = (sessionId: string): Promise<unknown> =>
  request('POST', at(sessionId, '/secret-manager/refresh'));

/** The model that the notebook asks, and where; null for what the server offers. */
export const setAi = (sessionId: string, ai: AiRecord): Promise<unknown> => request('PUT', at(sessionId, '/ai'), ai);

export const chooseVariant = (sessionId: string, group: string, change: object): Promise<unknown> =>
  request('PUT', at(sessionId, `/variant-groups/${encodeURIComponent(group)}`), change);

export const addVariant = (sessionId: string, group: string): Promise<unknown> =>
  request('POST', at(sessionId, `/variant-groups/${encodeURIComponent(group)}/variants`));

export const readResults = (
  sessionId: string,
  cellId: string,
): Promise<{ readonly results: readonly CellResultRecord[] }> =>
  request('GET', at(sessionId, `/cells/${cellId}/results`));

export const saveTests = (sessionId: string, cellId: string, source: string): Promise<CellRecord> =>
  request('PUT', at(sessionId, `/cells/${cellId}/tests`), { source });

export const runTests = (sessionId: string, cellId: string): Promise<CellTests> =>
  request('POST', at(sessionId, `/cells/${cellId}/tests`));

export interface CellTests {
  readonly passed: number;
  readonly failed: number;
  readonly errored: number;
  readonly skipped: number;
  readonly tests: readonly { readonly name: string; readonly outcome: string; readonly message?: string | null }[];
}

export const exportAddress = (sessionId: string, format: string): string => at(sessionId, `/export?fmt=${format}`);
