// What a cell is told when its run was ended from outside, in whichever language it is written.
import type { CellError } from './runtime.ts';

export const cancelledError = (): CellError => plainError('Cancelled', 'The run was cancelled.');

/** `lever`: where the limit was set. */
export const timeoutError = (seconds: number, lever: string): CellError =>
  plainError(
    'CellTimeout',
    `The cell did not finish within ${seconds} s and was stopped with everything it had started. ` +
      `The limit was set by ${lever}: raise it there, or do less in one cell.`,
  );

/** One that no line of the cell raised. */
export const plainError = (errorType: string, message: string): CellError => ({
  error_type: errorType,
  message,
  traceback: [],
  text: `${errorType}: ${message}`,
});
