// R cells of one folder, run one after another by processes that wait or by fresh ones.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { createRPool, type Job, type RPool, type RPoolOptions, type RunResult } from '../../src/runtimes/index.ts';
import { runRCell } from '../../src/runtimes/r/rRuntime.ts';
import { findProgram } from './parts.ts';

export interface RCells extends AsyncDisposable {
  readonly pool: RPool;
  readonly folder: string;
  run(source: string, job?: Partial<Job>): Promise<RunResult>;
}

/** `folder`: where the notebook lies, which stays when the cells go. */
export function startRCells(folder: string, options: Partial<RPoolOptions> = {}): RCells {
  const workDir = path.join(folder, 'work');
  fs.mkdirSync(workDir, { recursive: true });
  const pool = createRPool({
    rscript: () => findProgram('Rscript'),
    size: 2,
    directory: folder,
    policy: { variables: process.env, allowlist: [] },
    ...options,
  });
  const noFrames = async (): Promise<void> => {
    throw new Error('These cells pass no tables.');
  };
  return {
    pool,
    folder,
    async run(source, job = {}) {
      const outputDir = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-r-cell-'));
      const whole: Job = {
        cellId: 'cell',
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
      };
      try {
        const parts = { processes: pool, user: undefined, frames: { toText: noFrames, fromText: noFrames } };
        return await runRCell(parts, whole, () => {}, new AbortController().signal);
      } finally {
        fs.rmSync(outputDir, { recursive: true });
      }
    },
    async [Symbol.asyncDispose]() {
      await pool.close();
    },
  };
}
