// A run that did not take place because it could not have succeeded, told as a failure with its reason.
import type { Executed } from '../run/index.ts';

export function refusedRun(errorType: string, message: string): Executed {
  return {
    run: {
      outcome: 'error',
      variables: {},
      displays: [],
      stdout: '',
      stderr: '',
      error: { error_type: errorType, message, traceback: [], text: message },
      mutationWarnings: [],
      suggestInstall: null,
      durationMs: 0,
      executionMethod: 'warm',
      buildEnv: '',
    },
    result: null,
    problem: message,
  };
}
