// `@write_table`: after a run, and before its result becomes current, variables are written to tables. A write that fails fails
// the cell; a result that is found again writes nothing.
import path from 'node:path';
import { Refusal } from '../../errors/index.ts';
import type { RunResult } from '../../runtimes/index.ts';
import type { WriteTableAnnotation } from '../annotations/index.ts';
import { CellRefused } from '../languages/index.ts';
import type { CellRun } from './executeCell.ts';

/** Writes one Arrow stream to a table. */
export type WriteTable = (
  write: WriteTableAnnotation,
  source: string,
  summary: Readonly<Record<string, string>>,
) => Promise<void>;

export async function writeTables(
  writeTable: WriteTable | undefined,
  cell: CellRun,
  run: RunResult,
  outputDir: string,
): Promise<void> {
  // The steps of a loop are not its result.
  if (cell.part.startsWith('@iter=')) return;
  for (const write of cell.tableWrites) {
    const { variable, table, mode } = write;
    const value = run.variables[variable];
    const failed = (reason: string): CellRefused =>
      new CellRefused('WriteTableFailed', `@write_table ${variable} ${table} (${mode}) failed: ${reason}`);
    if (!writeTable) throw failed('this server writes no tables');
    if (value?.content_type !== 'arrow/ipc' || value.file === undefined)
      throw failed(`'${variable}' is ${value?.content_type ?? 'not defined'}, not a table`);
    const summary = { 'svc.notebook_id': cell.notebookId, 'svc.cell_id': cell.cellId, 'svc.provenance': cell.key };
    await writeTable(write, path.join(outputDir, value.file), summary).catch((error: unknown) => {
      if (error instanceof Refusal)
        throw failed(typeof error.detail === 'string' ? error.detail : JSON.stringify(error.detail));
      throw failed(error instanceof Error ? error.message : String(error));
    });
  }
}
