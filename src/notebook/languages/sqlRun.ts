// One run of a SQL cell: the query in a process of its own, its rows as Arrow in the run's folder, the first of them shown.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { EngineError } from '../../engine/index.ts';
import { Refusal } from '../../errors/index.ts';
import {
  failedRun,
  type InputFile,
  type Job,
  noEffects,
  type ReadMoment,
  type RunResult,
  succeededRun,
} from '../../runtimes/index.ts';
import { type OpenConnection, runSql, type SqlBody, type SqlProcesses, type StoredResult } from '../../sql/index.ts';
import { ConnectionRefused, mountViews } from '../connections/index.ts';

export interface SqlRun {
  readonly processes: SqlProcesses;
  readonly body: SqlBody;
  /** Names of tables that values of other cells stand for, where the database has no such table. */
  readonly frames: readonly string[];
  /** Of each statement; empty where the text could not be parsed. */
  readonly kinds: readonly string[];
  readonly write: boolean;
  readonly connection: OpenConnection;
  /** Names of mounts that become views. */
  readonly mounts: readonly string[];
  /** Takes secrets out of what a driver says. */
  readonly hide: (text: string) => string;
  readonly variable: string;
  /** The moment whose rows it gives; undefined for those of now. */
  readonly snapshot: ReadMoment | undefined;
  readonly job: Job;
}

export async function runSqlCell(run: SqlRun, signal: AbortSignal): Promise<RunResult> {
  const { processes, body, frames, kinds, write, connection, hide, variable, job } = run;
  const began = performance.now();
  const failed = (type: string, message: string): RunResult =>
    failedRun(type, message, { executionMethod: 'sql', durationMs: performance.now() - began });
  const noTable = body.tables.find((name) => !isTable(job, name));
  if (noTable !== undefined)
    return failed('SqlParameter', `:${noTable} stands where a table is read, and its value is no table.`);
  try {
    const answer = await runSql(
      processes,
      {
        connection: { ...connection, mounts: mountViews(placesOf(job, run.mounts)) },
        statements: body.statements.map((statement, index) => ({
          ...statement,
          kind: kinds[index] ?? firstWord(statement.text),
        })),
        binds: pick(job.inputs, new Set(body.statements.flatMap(({ binds }) => binds))),
        tables: Object.fromEntries(body.tables.map((name) => [name, job.inputs[name]?.file ?? ''])),
        frames: Object.fromEntries(
          frames.flatMap((name) => (isTable(job, name) ? [[name, job.inputs[name]?.file ?? '']] : [])),
        ),
        file: path.join(job.outputDir, 'result.arrow'),
      },
      write,
      signal,
    );
    if ('error' in answer) return failed('SqlError', hide(withHint(answer.error, frames)));
    const effects = answer.files.length === 0 ? {} : { effects: { ...noEffects, read: answer.files } };
    const result = { ...(await kept(variable, answer.result, job.outputDir, performance.now() - began)), ...effects };
    if (!run.snapshot) return result;
    const stdout = `Snapshot of ${run.snapshot.at}; run the cell again in mode rerun for a new one.\n`;
    return { ...result, stdout, snapshot: run.snapshot };
  } catch (error) {
    if (signal.aborted) return { ...failed('Cancelled', 'Cancelled before it finished'), outcome: 'cancelled' };
    if (error instanceof ConnectionRefused) return failed('ConnectionRefused', error.message);
    if (error instanceof EngineError || error instanceof Refusal) return failed('SqlUnavailable', hide(error.message));
    throw error;
  }
}

async function kept(
  variable: string,
  { bytes, sha256, rows, columns, markdown }: StoredResult,
  outputDir: string,
  durationMs: number,
): Promise<RunResult> {
  await fs.writeFile(path.join(outputDir, 'shown.md'), markdown);
  return succeededRun({
    executionMethod: 'sql',
    durationMs,
    variables: {
      [variable]: { content_type: 'arrow/ipc', file: 'result.arrow', bytes, sha256, rows, columns, preview: markdown },
    },
    types: { [variable]: 'pyarrow.lib.Table' },
    displays: [
      {
        content_type: 'text/markdown',
        file: 'shown.md',
        bytes: Buffer.byteLength(markdown),
        sha256: createHash('sha256').update(markdown).digest('hex'),
        markdown_text: markdown,
      },
    ],
  });
}

const isTable = ({ inputs }: Job, name: string): boolean => inputs[name]?.contentType === 'arrow/ipc';

/** A value of another cell has the name that the database does not know. */
function withHint(error: string, frames: readonly string[]): string {
  const name = frames.find((one) => error.includes(`Table with name ${one} does not exist`));
  if (name === undefined) return error;
  return `${error}\n${name} is a value of another cell and no table: make it a data frame, or bind it as :${name}.`;
}

const placesOf = ({ inputs }: Job, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.flatMap((name) => (inputs[name] ? [[name, inputs[name].file]] : [])));

const pick = (inputs: Job['inputs'], names: ReadonlySet<string>): Record<string, InputFile> =>
  Object.fromEntries(Object.entries(inputs).filter(([name]) => names.has(name)));

const firstWord = (text: string): string => /^\w+/.exec(text)?.[0].toUpperCase() ?? '';
