// `@write_table`: after a run, and before its result becomes current, variables are written to tables. A write that fails fails
// the cell; a result that is found again writes nothing.
import path from 'node:path';
import { Refusal } from '../../errors/index.ts';
import { isPlainFile } from '../../files/index.ts';
import type { RunResult } from '../../runtimes/index.ts';
import type { WriteTableAnnotation } from '../annotations/index.ts';
import { CellRefused } from '../languages/index.ts';
import type { TableRead } from '../outside/index.ts';
import type { CellRun } from './cellRun.ts';

export interface TableWriter {
  /** Throws when this session may not write there: asked before a cell runs, and again before it writes. */
  check(write: WriteTableAnnotation): void;
  /** Writes one Arrow stream to a table. */
  write(write: WriteTableAnnotation, source: string, summary: Readonly<Record<string, string>>): Promise<void>;
}

/** Tables as one session reaches them. */
export interface SessionTables {
  /** What a scan would read now. Throws for a table that it may not read. */
  read(uri: string, pin: string | null): Promise<TableRead>;
  readonly writer: TableWriter;
}

/** Refuses a cell whose writes would be refused in the end. */
export function checkTableWrites(writer: TableWriter | undefined, writes: readonly WriteTableAnnotation[]): void {
  for (const write of writes) {
    if (!writer) throw failedWrite(write, 'this server writes no tables');
    try {
      writer.check(write);
    } catch (error) {
      throw failedWrite(write, reasonOf(error));
    }
  }
}

export async function writeTables(
  writer: TableWriter | undefined,
  cell: CellRun,
  run: RunResult,
  outputDir: string,
): Promise<void> {
  // The steps of a loop are not its result.
  if (cell.part.startsWith('@iter=')) return;
  for (const write of cell.tableWrites) {
    const { variable } = write;
    const value = run.variables[variable];
    if (!writer) throw failedWrite(write, 'this server writes no tables');
    if (value?.content_type !== 'arrow/ipc' || value.file === undefined)
      throw failedWrite(write, `'${variable}' is ${value?.content_type ?? 'not defined'}, not a table`);
    const source = path.join(outputDir, value.file);
    // The server reads it: a link would lead where the cell cannot go.
    if (!isPlainFile(source)) throw failedWrite(write, `'${variable}' is not in the file that was written`);
    const summary = { 'svc.notebook_id': cell.notebookId, 'svc.cell_id': cell.cellId, 'svc.provenance': cell.key };
    await writer.write(write, source, summary).catch((error: unknown) => {
      throw failedWrite(write, reasonOf(error));
    });
  }
}

const failedWrite = ({ variable, table, mode }: WriteTableAnnotation, reason: string): CellRefused =>
  new CellRefused('WriteTableFailed', `@write_table ${variable} ${table} (${mode}) failed: ${reason}`);

function reasonOf(error: unknown): string {
  if (!(error instanceof Refusal)) return error instanceof Error ? error.message : String(error);
  const { detail } = error;
  if (typeof detail === 'string') return detail;
  return 'message' in detail && typeof detail.message === 'string' ? detail.message : JSON.stringify(detail);
}
