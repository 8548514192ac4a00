// One run in a zygote: from the order to the result. What decides the outcome is whatever came first: the result, the
// caller's cancellation, the end of its time, or the end of the process. It resolves when its processes are gone.

import { z } from 'zod';
import { createConsole } from '../console.ts';
import { parseExactly } from '../exactJson.ts';
import type { CellError, ConsoleEvent, Job, Outcome, RunResult } from '../runtime.ts';
import { suggestPythonInstall } from '../suggestInstall.ts';
import { cancelledError, diedError, misansweredError, timeoutError } from './failures.ts';
import { type CellResult, resultSchema } from './messages.ts';
import { runOrder } from './orders.ts';
import type { RunListener, Zygote } from './zygote.ts';

/** The longest time that a timer takes; about 25 days. */
const LONGEST_MS = 2 ** 31 - 1;

export interface FinishedRun {
  readonly result: RunResult;
  /** Modules that the cell itself had to load. */
  readonly loaded: readonly string[];
  /** Nobody has been told of the job: it may be given to another zygote. */
  readonly unsent: boolean;
}

interface Verdict {
  readonly outcome: Outcome;
  readonly error: CellError | null;
  readonly cell?: CellResult | undefined;
}

/** Where a job runs, and who hears of modules that its cell has to load by itself. */
export interface RunPlace {
  readonly zygote: Zygote;
  readonly afresh: boolean;
  onImporting(name: string): void;
  readonly consoleBytes: number | undefined;
}

export function runInZygote(
  { zygote, afresh, onImporting, consoleBytes }: RunPlace,
  job: Job,
  onEvent: (event: ConsoleEvent) => void,
  signal: AbortSignal,
  executionMethod: RunResult['executionMethod'],
): Promise<FinishedRun> {
  const { promise, resolve } = Promise.withResolvers<FinishedRun>();
  const console = createConsole(onEvent, consoleBytes);
  const startedAt = performance.now();
  let verdict: Verdict | undefined;
  let timer: NodeJS.Timeout | undefined;

  function settle({ outcome, error, cell }: Verdict, unsent: boolean): void {
    const text = console.end();
    const failed = outcome === 'error' || outcome === 'died';
    const result: RunResult = {
      outcome,
      variables: cell?.variables ?? {},
      displays: cell?.displays ?? [],
      ...text,
      error,
      types: cell?.types,
      mutationWarnings: cell?.mutation_warnings ?? [],
      suggestInstall: failed ? suggestPythonInstall(error?.message ?? '', text.stderr) : null,
      durationMs: performance.now() - startedAt,
      executionMethod,
      untilReached: cell?.until_reached,
      effects: cell?.effects,
      settings: cell?.settings,
      tests: cell?.tests,
      buildEnv: cell?.build_env ?? '',
    };
    resolve({ result, loaded: cell?.loaded ?? [], unsent });
  }

  if (signal.aborted) {
    settle({ outcome: 'cancelled', error: cancelledError() }, true);
    return promise;
  }

  const listener: RunListener = {
    onImporting,
    onBegun() {
      const { timeoutSeconds: seconds, timeoutLever } = job;
      if (seconds === null || verdict !== undefined) return;
      timer = setTimeout(
        () => stop('timeout', timeoutError(seconds, timeoutLever)),
        Math.min(seconds * 1000, LONGEST_MS),
      );
    },
    onConsole: (stream, bytes) => console.write(stream, bytes),
    onMessage() {},
    onResult(text) {
      verdict ??= judge(text);
      clearTimeout(timer);
    },
    onEnded(ending) {
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      settle(verdict ?? { outcome: 'died', error: diedError(ending) }, ending.unsent === true);
    },
  };
  const run = zygote.start(runOrder(job), listener, afresh);

  function stop(outcome: Outcome, error: CellError): void {
    if (verdict !== undefined) return;
    verdict = { outcome, error };
    run.stop();
  }

  function cancel(): void {
    stop('cancelled', cancelledError());
  }
  signal.addEventListener('abort', cancel, { once: true });
  return promise;
}

function judge(text: string): Verdict {
  try {
    const cell = resultSchema.parse(parseExactly(text));
    return { outcome: cell.error === null ? 'success' : 'error', error: cell.error, cell };
  } catch (problem) {
    const difference = problem instanceof z.ZodError ? z.prettifyError(problem) : String(problem);
    return { outcome: 'died', error: misansweredError(difference) };
  }
}
