// A run that did not take place because it could not have succeeded, told as a failure with its reasons.
import type { Executed } from '../run/index.ts';

export function refusedRun(reasons: readonly string[]): Executed {
  const message = `Other cells read from this one what cannot be given to them: ${reasons.join('; ')}.`;
  return {
    run: {
      outcome: 'error',
      variables: {},
      displays: [],
      stdout: '',
      stderr: '',
      error: { error_type: 'ModuleExportError', message, traceback: [], text: message },
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
