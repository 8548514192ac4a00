// How much of the machine one process of a cell may take, and how far one of many stands back.
// The system holds them: they are set by the shell that a process comes through, and what the process starts has them too.
import fs from 'node:fs';
import os from 'node:os';
import type { RunResult, ValueRecord } from './runtime.ts';

export interface CellLimits {
  /** What it may take for itself to write to; what it maps from files to read is not counted. */
  readonly memoryMb: number | null;
  /** Of its user, on the whole machine; the system does not count those of root. */
  readonly processes: number | null;
  readonly openFiles: number | null;
  /** Of one file. */
  readonly fileMb: number | null;
  /** Of cells beyond the cores of the machine. 0: as the server; up to 19. */
  readonly niceness: number;
}

/** Where a limit that is already lower cannot be raised, the lower one stays. */
function linesOf({ memoryMb, processes, openFiles, fileMb }: CellLimits): string[] {
  const limited = (letter: string, count: number): string => `ulimit -${letter} ${count} 2>/dev/null`;
  return [
    ...(memoryMb === null ? [] : [limited('d', memoryMb * 1024)]),
    // Shells do not agree on its letter.
    ...(processes === null ? [] : [`${limited('u', processes)} || ${limited('p', processes)}`]),
    ...(openFiles === null ? [] : [limited('n', openFiles)]),
    ...(fileMb === null ? [] : [limited('f', fileMb * 2048)]),
  ];
}

/** The command, under the limits: the same process in the end. */
export function limitedCommand(command: readonly string[], limits: CellLimits | undefined): readonly string[] {
  if (limits === undefined) return command;
  const lines = linesOf(limits);
  return lines.length === 0 ? command : ['/bin/sh', '-c', [...lines, 'exec "$@"'].join('\n'), 'sh', ...command];
}

/** The process, which leads a session, and what it starts from now on stand back. */
export function standBack(pid: number | undefined, limits: CellLimits | undefined): void {
  const niceness = limits?.niceness ?? 0;
  if (pid === undefined || niceness === 0) return;
  try {
    os.setPriority(pid, niceness);
    // Linux shares its time out among sessions, and only then among their processes.
    fs.writeFileSync(`/proc/${pid}/autogroup`, String(niceness));
  } catch {
    // It has ended, or the system has no such groups: it stands where it stood.
  }
}

/** What languages say when a limit holds. */
const complaints = [
  { limit: 'memoryMb', said: /MemoryError|[Uu]nable to allocate|cannot allocate|bad_alloc|memory exhausted/ },
  { limit: 'openFiles', said: /Too many open files|EMFILE|all connections are in use/ },
  { limit: 'fileMb', said: /File too large|EFBIG/ },
  { limit: 'processes', said: /Resource temporarily unavailable|can't start new thread|EAGAIN|unable to fork/ },
] as const;

const inWords = {
  memoryMb: (limit: number) => `take ${limit} MB of memory (SVC_NOTEBOOK_CELL_MEMORY_MB)`,
  openFiles: (limit: number) => `have ${limit} files open (SVC_NOTEBOOK_CELL_OPEN_FILES)`,
  fileMb: (limit: number) => `write files of ${limit} MB (SVC_NOTEBOOK_CELL_FILE_MB)`,
  processes: (limit: number) => `have ${limit} processes and threads with its kind (SVC_NOTEBOOK_CELL_PROCESSES)`,
};

/** The limit of this server that may be the reason for what is said, in words. */
function limitBehind(text: string, limits: CellLimits | undefined): string | undefined {
  const met = complaints.find(({ said }) => said.test(text))?.limit;
  const limit = met === undefined ? null : (limits?.[met] ?? null);
  return met === undefined || limit === null ? undefined : `A cell of this server may ${inWords[met](limit)}.`;
}

/** The same run; where a limit of this server may be the reason that it failed or could not store a value, it says so. */
export function namingLimits<Run extends Pick<RunResult, 'error' | 'variables'>>(
  run: Run,
  limits: CellLimits | undefined,
): Run {
  const { error } = run;
  const told = error ? limitBehind(`${error.error_type}: ${error.message}`, limits) : undefined;
  const variables = Object.entries(run.variables).map(([name, record]): [string, ValueRecord] => {
    const reason = record.error ? limitBehind(record.error, limits) : undefined;
    return [name, reason === undefined ? record : { ...record, error: `${record.error}. ${reason}` }];
  });
  return {
    ...run,
    variables: Object.fromEntries(variables),
    ...(error && told !== undefined
      ? {
          error: {
            ...error,
            message: `${error.message}\n${told}`.trimStart(),
            text: `${error.text.trimEnd()}\n${told}`,
          },
        }
      : {}),
  };
}
