// How a command ends that could not do its work: a sentence for the user, never a stack, and an exit code that scripts
// can tell apart: 2 for what the user must change, 1 for everything else. Whoever asked for JSON gets the latter as JSON.
import { Refusal } from '../errors/index.ts';
import { describeProblems, SettingsError } from '../settings/index.ts';
import { isInterrupted } from './interrupt.ts';
import { printJson } from './print.ts';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What is refused because of what the user gave is theirs to change. */
export function asUsage(error: unknown): never {
  throw error instanceof Refusal ? new UsageError(error.message) : error;
}

export const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export function reportFailure(error: unknown, format: string): void {
  if (isInterrupted()) return;
  const isUsage = error instanceof SettingsError || error instanceof UsageError;
  if (error instanceof SettingsError) process.stderr.write(`${describeProblems(error)}\n`);
  else if (isUsage || format !== 'json') process.stderr.write(`error: ${reasonOf(error)}\n`);
  else printJson({ error: reasonOf(error) });
  process.exitCode = isUsage ? 2 : 1;
}
