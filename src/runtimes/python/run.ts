// One run in a zygote: from the order to the result. What decides the outcome is whatever came first: the result, the
// caller's cancellation, the end of its time, or the end of the process. It resolves when its processes are gone.

import { z } from 'zod';
import { parseExactly } from '../../exactJson.ts';
import { suggestPythonInstall } from '../../suggestInstall.ts';
import { type CellLimits, namingLimits } from '../cellLimits.ts';
import { createConsole } from '../console.ts';
import { joinCrowd } from '../crowd.ts';
import { cancelledError, timeoutError } from '../endings.ts';
import { namingMisplaced } from '../misplacedModule.ts';
import type { CellError, ConsoleEvent, Job, Outcome, Question, RunResult } from '../runtime.ts';
import { diedError, misansweredError } from './failures.ts';
import { createLimit } from './limit.ts';
import { type ResultMessage, resultSchema, saidSchema } from './messages.ts';
import { runOrder } from './orders.ts';
import type { RunListener, Zygote } from './zygote.ts';

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
  readonly cell?: ResultMessage | undefined;
}

/** Where a job runs, and who hears of modules that its cell has to load by itself. */
export interface RunPlace {
  readonly zygote: Zygote;
  readonly afresh: boolean;
  onImporting(name: string): void;
  readonly consoleBytes: number | undefined;
  readonly limits: CellLimits | undefined;
  /** The process is gone, which may be after its run. */
  onGone(): void;
}

export function runInZygote(
  { zygote, afresh, onImporting, onGone, consoleBytes, limits }: RunPlace,
  job: Job,
  onEvent: (event: ConsoleEvent) => void,
  signal: AbortSignal,
  executionMethod: RunResult['executionMethod'],
): Promise<FinishedRun> {
  const { promise, resolve } = Promise.withResolvers<FinishedRun>();
  const console = createConsole(onEvent, consoleBytes);
  const startedAt = performance.now();
  const gone = new AbortController();
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<void>();
  const limit = createLimit(job.timeoutSeconds, () =>
    stop('timeout', timeoutError(job.timeoutSeconds ?? 0, job.timeoutLever)),
  );
  let questionOver = new AbortController();
  let verdict: Verdict | undefined;
  let leave = (): void => {};
  let isSettled = false;

  function settle({ outcome, error, cell }: Verdict, unsent: boolean): void {
    if (isSettled) return;
    isSettled = true;
    leave();
    const text = console.end();
    const failed = outcome === 'error' || outcome === 'died';
    const result: RunResult = {
      outcome,
      variables: cell?.variables ?? {},
      displays: cell?.displays ?? [],
      ...text,
      error,
      types: cell?.types,
      items: cell?.items,
      mutationWarnings: cell?.mutation_warnings ?? [],
      suggestInstall: failed ? suggestPythonInstall([error?.message ?? '', text.stderr], cell?.absent) : null,
      durationMs: performance.now() - startedAt,
      executionMethod,
      untilReached: cell?.until_reached,
      effects: cell?.effects,
      settings: cell?.settings,
      packages: cell?.packages,
      tests: cell?.tests,
      buildEnv: cell?.build_env ?? '',
      peakBytes: cell?.peak_bytes,
    };
    resolve({ result: namingMisplaced(namingLimits(result, limits), job), loaded: cell?.loaded ?? [], unsent });
  }

  if (signal.aborted) {
    settle({ outcome: 'cancelled', error: cancelledError() }, true);
    onGone();
    return promise;
  }

  const listener: RunListener = {
    onImporting,
    onBegun(pid) {
      leave = joinCrowd(pid, limits);
      if (verdict === undefined) limit.goOn();
    },
    onConsole(stream, bytes) {
      if (!isSettled) console.write(stream, bytes);
    },
    onMessage(text) {
      if (verdict?.outcome === 'cancelled' || verdict?.outcome === 'timeout') return;
      const said = saidSchema.safeParse(parseExactly(text));
      if (!said.success) return stop('died', misansweredError(z.prettifyError(said.error)));
      if ('ask' in said.data) return void answer(said.data.ask);
      if ('taken_over' in said.data) return questionOver.abort();
      verdict = { outcome: 'error', error: said.data.failed.error, cell: said.data.failed };
      limit.end();
      signal.removeEventListener('abort', cancel);
      job.keptFailure?.take({
        close() {
          run.stop();
          return ended;
        },
      });
      settle(verdict, false);
    },
    onResult(text) {
      verdict ??= judge(text);
      limit.end();
    },
    onEnded(ending) {
      limit.end();
      gone.abort();
      resolveEnded();
      signal.removeEventListener('abort', cancel);
      settle(verdict ?? { outcome: 'died', error: diedError(ending) }, ending.unsent === true);
      onGone();
    },
  };

  /** Nobody's time runs while somebody thinks, and none at all once an editor has the cell. */
  async function answer({ number, ...question }: Question & { readonly number: number }): Promise<void> {
    limit.pause();
    questionOver = new AbortController();
    const over = AbortSignal.any([gone.signal, questionOver.signal]);
    const given = (await job.ask?.(question, over)) ?? { unanswered: 'nobody' };
    if (questionOver.signal.aborted) return;
    if (verdict === undefined) limit.goOn();
    if (!gone.signal.aborted) run.say({ number, ...given });
  }

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
