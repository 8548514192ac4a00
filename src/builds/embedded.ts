// The executor in this process: one SQL query over the inputs and nothing else, in a process of its own.
import { type Artifacts, transformOf } from '../artifacts/index.ts';
import { EngineRefused, EngineTimeout } from '../engine/index.ts';
import type { TableQueries } from '../tables/index.ts';
import { BuildProblem } from './build.ts';
import type { Executor } from './executor.ts';
import { builtInQuery } from './registry.ts';

export function createEmbeddedExecutor({ staging }: Artifacts, queries: Pick<TableQueries, 'run'>): Executor {
  return async ({ version, transform, inputs, signal }) => {
    const { sql } = transformOf(version.transformSpec).params;
    if (typeof sql !== 'string' || sql.trim() === '')
      throw new BuildProblem('ValidationError', `${builtInQuery} needs a query as \`sql\`.`);
    const file = staging.place();
    const { maxOutputBytes: maxBytes, timeoutSeconds } = transform;
    try {
      const { rows, schemaText, ...bytes } = await queries.run({
        sql,
        inputs,
        target: file,
        maxBytes,
        timeoutSeconds,
        signal,
      });
      return { bytes: { file, ...bytes }, schema: schemaText, rowCount: rows };
    } catch (error) {
      await staging.discard({ file });
      throw meaningOf(error, timeoutSeconds);
    }
  };
}

function meaningOf(error: unknown, timeoutSeconds: number): unknown {
  if (error instanceof EngineRefused)
    return new BuildProblem(error.type === 'OutputTooLarge' ? 'OUTPUT_TOO_LARGE' : error.type, error.reason);
  if (error instanceof EngineTimeout)
    return new BuildProblem('TIMEOUT', `The query did not finish within ${timeoutSeconds} s.`);
  return error;
}
