// How a command ends that could not do its work: a sentence for the user, never a stack, and an exit code that scripts
// can tell apart: 2 for what the user must change, 1 for everything else.
import { describeProblems, SettingsError } from '../settings/index.ts';

export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export async function reportFailure(error: unknown): Promise<void> {
  if (error instanceof SettingsError) process.stderr.write(`${describeProblems(error)}\n`);
  else process.stderr.write(`error: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof SettingsError || error instanceof UsageError ? 2 : 1;
}
