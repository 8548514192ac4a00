// Results of runs that did not need a process: what is not said is empty.
import type { ExecutionMethod, RunResult } from './runtime.ts';

export function succeededRun(parts: Partial<RunResult> & { readonly executionMethod: ExecutionMethod }): RunResult {
  return { ...nothing, ...parts, outcome: 'success', error: null };
}

export function failedRun(
  errorType: string,
  message: string,
  parts: Partial<RunResult> & { readonly executionMethod: ExecutionMethod },
): RunResult {
  return {
    ...nothing,
    outcome: 'error',
    ...parts,
    error: { error_type: errorType, message, traceback: [], text: message },
  };
}

const nothing = {
  variables: {},
  displays: [],
  stdout: '',
  stderr: '',
  mutationWarnings: [],
  suggestInstall: null,
  durationMs: 0,
  buildEnv: '',
} as const;
