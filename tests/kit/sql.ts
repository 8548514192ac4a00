// SQL cells as tests write them.
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cellRecord, type ExecuteBody } from '../../src/protocol/index.ts';
import type { TestNotebook } from './notebook.ts';

export async function addSql(notebook: TestNotebook, source: string): Promise<string> {
  const { id } = cellRecord.parse((await notebook.request('POST', '/cells', { language: 'sql' })).json);
  const answer = await notebook.edit(id, source);
  assert.equal(answer.status, 200, answer.text);
  return id;
}

/** The rows as they are shown, or why there are none. */
export const shown = ({ display, error }: ExecuteBody): string => String(display?.markdown_text ?? error);

export async function setConnections(notebook: TestNotebook, connections: readonly object[]): Promise<void> {
  const answer = await notebook.request('PUT', '/connections', { connections });
  assert.equal(answer.status, 200, answer.text);
}

/** What the newest stored result of a cell says of the moment that it read. */
export function snapshotParams(notebook: TestNotebook, cellId: string): Record<string, unknown> {
  using database = new DatabaseSync(path.join(notebook.path, '.svc/artifacts/artifacts.sqlite'), { readOnly: true });
  const row = database
    .prepare('SELECT transform_spec FROM artifact_versions WHERE id LIKE ? ORDER BY created_at DESC LIMIT 1')
    .get(`%_cell_${cellId}_var_%`);
  const { params } = JSON.parse(String(row?.transform_spec));
  return Object.fromEntries(Object.entries(params).filter(([name]) => name.startsWith('sql_snapshot_')));
}
