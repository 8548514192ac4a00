// A notebook's Python environment with the packages that cells use in tests: `.tools/test-notebook`, made once from the
// locked `notebook-requirements.txt` (written with `uv pip compile --universal --python-version 3.10 --generate-hashes
// --no-emit-index-url --no-header`).
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from './pythonEnvironment.ts';

export { bareInterpreter } from './pythonEnvironment.ts';

const requirements = fileURLToPath(new URL('./notebook-requirements.txt', import.meta.url));

/** The interpreter of the environment; undefined after the test was marked as skipped, which CI does not accept. */
export async function notebookEnvironment(t: TestContext): Promise<string | undefined> {
  try {
    return path.join(await pythonEnvironment('test-notebook', requirements, (text) => t.diagnostic(text)), 'python');
  } catch (problem) {
    if (process.env.SVC_TEST_ALL === '1') throw problem;
    t.skip(`The test notebook's environment could not be made: ${String(problem)}`);
    return undefined;
  }
}
