// Cells run by a real Python runtime, one after another, each output at hand as the next one's input.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {
  type ConsoleEvent,
  createPythonRuntime,
  type InputFile,
  type Job,
  type PythonRuntime,
  type PythonRuntimeOptions,
  type RunResult,
} from '../../src/runtimes/index.ts';

export interface CellOptions extends Partial<Job> {
  readonly onEvent?: (event: ConsoleEvent) => void;
  readonly signal?: AbortSignal;
}

export interface FinishedCell extends RunResult {
  readonly outputDir: string;
  /** A stored variable, as another cell's input. */
  input(name: string): InputFile;
  /** Text of a stored file. */
  text(file: string | undefined): string;
}

export interface Cells extends AsyncDisposable {
  readonly runtime: PythonRuntime;
  readonly folder: string;
  readonly log: readonly string[];
  run(source: string, options?: CellOptions): Promise<FinishedCell>;
  /** Resolves with the first line of the log, past or future, that holds `text`. */
  logged(text: string): Promise<string>;
}

export function startCells(interpreter: string, options: Partial<PythonRuntimeOptions> = {}): Cells {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-cells-'));
  const workDir = path.join(folder, 'work');
  fs.mkdirSync(workDir);
  const log: string[] = [];
  const waiting = new Set<() => void>();
  let count = 0;
  const runtime = createPythonRuntime({
    interpreter,
    warmPoolSize: 2,
    policy: { variables: process.env, allowlist: [] },
    log(line) {
      log.push(line);
      for (const look of waiting) look();
    },
    ...options,
  });

  return {
    runtime,
    folder,
    log,
    async run(source, { onEvent = () => {}, signal = new AbortController().signal, ...job } = {}) {
      count += 1;
      const outputDir = path.join(folder, `output-${count}`);
      fs.mkdirSync(outputDir);
      const result = await runtime.run(
        {
          cellId: `cell-${count}`,
          source,
          inputs: {},
          wanted: [],
          mutationDefines: [],
          moduleSlices: {},
          env: {},
          workDir,
          notebookDir: folder,
          outputDir,
          timeoutSeconds: 300,
          timeoutLever: 'the test',
          codec: 'cloudpickle',
          untilExpr: null,
          testSource: null,
          ambient: null,
          ...job,
        },
        onEvent,
        signal,
      );
      return {
        ...result,
        outputDir,
        input(name) {
          const record = result.variables[name];
          if (record?.file === undefined) throw new Error(`${name} was not stored: ${JSON.stringify(record)}`);
          return { contentType: record.content_type, file: path.join(outputDir, record.file) };
        },
        text: (file) => fs.readFileSync(path.join(outputDir, file ?? ''), 'utf8'),
      };
    },
    logged(text) {
      const { promise, resolve } = Promise.withResolvers<string>();
      function look(): void {
        const found = log.find((line) => line.includes(text));
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      }
      waiting.add(look);
      look();
      return promise;
    },
    async [Symbol.asyncDispose]() {
      await runtime.close();
      fs.rmSync(folder, { recursive: true, force: true });
    },
  };
}
