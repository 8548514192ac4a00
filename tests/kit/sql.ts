// SQL cells as tests write them.
import assert from 'node:assert/strict';
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
