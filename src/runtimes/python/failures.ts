// What a cell is told when its process gave no result: what happened, and what to do about it.

import { constants } from 'node:os';
import { plainError } from '../endings.ts';
import type { CellError } from '../runtime.ts';
import type { Ending } from './zygote.ts';

/** The status with which a process says that the cell closed the pipe for its result; see `harness.py`. */
const CUT_OFF_STATUS = 113;

export function diedError(ending: Ending): CellError {
  return plainError('CellProcessDied', `${describe(ending)} The cell has no result and was not run again.`);
}

export function misansweredError(difference: string): CellError {
  return plainError(
    'CellProcessDied',
    `The cell's process answered in an unexpected shape: ${difference}. ` +
      'Server and python/svc_runtime must be of one version, and a cell must not write to descriptors it did not open.',
  );
}

function describe({ status, signal, lost }: Ending): string {
  if (lost !== undefined) return `The notebook's Python did not see the cell through: ${lost}.`;
  if (signal !== null) return describeSignal(signalName(signal));
  if (status === CUT_OFF_STATUS) {
    return 'The cell closed file descriptors that it did not open, among them the one for its result.';
  }
  return `The cell ended its own process with status ${status} (os._exit, or a library that does the same).`;
}

function describeSignal(name: string): string {
  if (name === 'SIGKILL') {
    return 'The process of the cell was killed (SIGKILL). Most often the machine or its container ran out of memory.';
  }
  if (name === 'SIGSEGV' || name === 'SIGBUS' || name === 'SIGABRT' || name === 'SIGILL' || name === 'SIGFPE') {
    return `The process of the cell crashed (${name}) in native code. Its standard error shows the line.`;
  }
  return `The process of the cell was ended by ${name}.`;
}

function signalName(number: number): string {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return found?.[0] ?? `signal ${number}`;
}
