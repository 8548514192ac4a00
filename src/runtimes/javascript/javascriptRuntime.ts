// Runs JavaScript cells: each in a Node of its own, which knows nothing of the server.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { giveTo, takeBack } from '../../files/index.ts';
import { threadProgram } from '../../places.ts';
import type { TraceFrame } from '../../protocol/index.ts';
import { namingLimits } from '../cellLimits.ts';
import { startCellProcess } from '../cellProcess.ts';
import type { CellUser } from '../cellUser.ts';
import { createConsole } from '../console.ts';
import { joinCrowd } from '../crowd.ts';
import { type CellPolicy, cellEnvironment } from '../environment.ts';
import { mapValues, readResult, storedRecord, verdictOf, writtenRecord } from '../resultFile.ts';
import type { CellError, ConsoleEvent, InputFile, Job, RunResult } from '../runtime.ts';
import { failedRun } from '../withoutProcess.ts';
import { javascriptEffects } from './effects.ts';
import type { HarnessOrder } from './harness.ts';
import { readJavaScript, type SourceError, shownKey } from './source.ts';
import type { InputSpec } from './values.ts';

export interface JavaScriptParts {
  readonly policy: CellPolicy;
  /** Who runs the cell; undefined: the server's own user. */
  readonly user: CellUser | undefined;
  /** Begins to look at what is opened and changed below a folder; undefined where nobody looks. */
  readonly watch?:
    | ((folder: string) => Promise<{
        end(): Promise<{
          readonly opened: readonly string[];
          readonly changed: readonly string[];
          readonly isWhole: boolean;
        }>;
      }>)
    | undefined;
  readonly consoleBytes?: number | undefined;
}

const names = z.array(z.string());
const resultSchema = z.object({
  error: z.object({ type: z.string(), message: z.string(), stack: z.string() }).nullable(),
  variables: z.record(z.string(), writtenRecord),
  displays: z.array(writtenRecord),
  observed: z.object({ hosts: names, programs: names, files: names }).optional(),
});

export async function runJavaScriptCell(
  { policy, user, watch, consoleBytes }: JavaScriptParts,
  job: Job,
  onEvent: (event: ConsoleEvent) => void,
  signal: AbortSignal,
): Promise<RunResult> {
  const began = performance.now();
  const { module, error: wrong } = readJavaScript(job.source);
  if (module === null) return syntaxFailure(job, wrong);
  const url = pathToFileURL(path.join(job.notebookDir, 'cells', `${job.cellId}.js`)).href;
  const console = createConsole(onEvent, consoleBytes);
  const limit = AbortSignal.timeout(Math.min(2 ** 31 - 1, (job.timeoutSeconds ?? 86_400) * 1000));
  const stop = AbortSignal.any([signal, limit]);
  if (user) for (const folder of [job.workDir, job.outputDir]) await giveTo(user, folder);
  const watching = await watch?.(job.workDir);
  const child = await startCellProcess({
    command: [process.execPath, '--disable-warning=ExperimentalWarning', threadProgram('runtimes/javascript/harness')],
    cwd: job.workDir,
    env: { ...cellEnvironment(policy), ...user?.env },
    user,
    limits: policy.limits,
  });
  const leave = joinCrowd(child.pid, policy.limits);
  const kill = (): void => child.kill();
  stop.addEventListener('abort', kill, { once: true });
  if (stop.aborted) kill();
  child.hear((stream, bytes) => console.write(stream, bytes));
  child.say(JSON.stringify(orderOf(job, module, url)));
  child.sayNoMore();
  const ending = await child.ended.finally(() => {
    leave();
    stop.removeEventListener('abort', kill);
  });
  if (user) await takeBack(job.outputDir);
  const seen = await watching?.end();
  const said = await readResult(job.outputDir, resultSchema);
  const end = { isCancelled: signal.aborted, isLate: limit.aborted, ending };
  const verdict = verdictOf('Node', job, { ...end, error: said && errorOf(said, url, job) });
  const succeeded = said && verdict.outcome === 'success';
  const run: RunResult = {
    ...verdict,
    variables: succeeded ? await mapValues(said.variables, (one) => storedRecord(one, job.outputDir)) : {},
    displays: succeeded ? await Promise.all(said.displays.map((one) => storedRecord(one, job.outputDir))) : [],
    ...console.end(),
    mutationWarnings: [],
    ...(succeeded && seen && said.observed
      ? { effects: javascriptEffects(job.source, { ...seen, ...said.observed }) }
      : {}),
    suggestInstall: null,
    durationMs: performance.now() - began,
    executionMethod: 'cold',
    buildEnv: '',
  };
  return namingLimits(run, policy.limits);
}

function orderOf(job: Job, module: string, url: string): HarnessOrder {
  const specOf = ({ contentType, file, variants }: InputFile): InputSpec => ({
    content_type: contentType,
    file,
    ...(variants ? { variants: specsOf(variants) } : {}),
  });
  const specsOf = (inputs: Readonly<Record<string, InputFile>>): Record<string, InputSpec> =>
    Object.fromEntries(Object.entries(inputs).map(([name, input]) => [name, specOf(input)]));
  return {
    module,
    url,
    inputs: specsOf(job.inputs),
    env: job.env,
    wanted: job.wanted,
    stores_all: job.storesAll ?? false,
    work_dir: job.workDir,
    output_dir: job.outputDir,
    shown_key: shownKey,
  };
}

function syntaxFailure({ cellId }: Job, wrong: SourceError | null): RunResult {
  const { message = 'It cannot be read.', line = 1, column = 0, text = '' } = wrong ?? {};
  const run = failedRun('SyntaxError', message, { executionMethod: 'error' });
  const frame = { cell_id: cellId, line, column, function: '', text: text.trim() };
  const shown = `SyntaxError: ${message}\n${line} | ${text}`;
  return { ...run, error: { error_type: 'SyntaxError', message, traceback: [frame], text: shown } };
}

function errorOf({ error }: z.infer<typeof resultSchema>, url: string, job: Job): CellError | null {
  if (error === null) return null;
  const { type, message } = error;
  // What led to the cell is the harness's own.
  const traceback = framesOf(error.stack, url, job);
  const places = traceback.map((frame) => `    at ${frame.function || 'the cell'}, line ${frame.line}: ${frame.text}`);
  return {
    error_type: type,
    message: missingPackage(message) ?? message,
    traceback,
    text: [`${type}: ${missingPackage(message) ?? message}`, ...places].join('\n'),
  };
}

/** Outermost first, as everywhere. */
function framesOf(stack: string, url: string, { cellId, source }: Job): TraceFrame[] {
  const lines = source.split('\n');
  return stack
    .split('\n')
    .flatMap((text) => {
      const at = text.indexOf(url);
      const [, line] = at < 0 ? [] : (/^:(\d+):(\d+)/.exec(text.slice(at + url.length)) ?? []);
      if (line === undefined) return [];
      const [, called = ''] = /^\s*at (?:async )?(.*?) \(/.exec(text) ?? [];
      return [{ cell_id: cellId, line: Number(line), function: called, text: lines[Number(line) - 1]?.trim() ?? '' }];
    })
    .reverse();
}

function missingPackage(message: string): string | null {
  const name = /^Cannot find package '([^']+)'/.exec(message)?.[1];
  return name === undefined
    ? null
    : `The package '${name}' is not installed. Run "npm install ${name}" in the notebook's folder, or in one above it.`;
}
