// Python environments of notebooks with the packages that cells use in tests: `.tools/test-notebook` and, with libraries that
// draw, `.tools/test-displays`; `.tools/test-jupyter` has Jupyter and little else. Each made once from its locked requirements
// (written with `uv pip compile --universal --python-version 3.10 --generate-hashes --no-emit-index-url --no-header`).
import fs from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { pythonEnvironment } from './pythonEnvironment.ts';

export { bareInterpreter } from './pythonEnvironment.ts';

const locked = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

/** The interpreter of the environment; undefined after the test was marked as skipped, which CI does not accept. */
export const notebookEnvironment = (t: TestContext): Promise<string | undefined> =>
  interpreterOf(t, 'test-notebook', locked('./notebook-requirements.txt'));

/** The same with what draws and shows: Bokeh, folium, sympy, widgets, progress bars; and what checks Jupyter's files. */
export const displayEnvironment = (t: TestContext): Promise<string | undefined> =>
  interpreterOf(t, 'test-displays', locked('./display-requirements.txt'));

/** A notebook's own environment finds the packages of another one beside its own; before its first cell has run. */
export function lendPackages(notebookPath: string, interpreter: string): void {
  const [folder = ''] = fs.globSync(path.join(path.dirname(interpreter), '../lib/python3*/site-packages'));
  const [own = ''] = fs.globSync(path.join(notebookPath, '.venv/lib/python3*/site-packages'));
  fs.writeFileSync(path.join(own, 'lent.pth'), `${folder}\n`);
}

/** Jupyter, and what cells need to run here. */
export const jupyterEnvironment = (t: TestContext): Promise<string | undefined> =>
  interpreterOf(t, 'test-jupyter', locked('./jupyter-requirements.txt'));

/** What the corpus of Jupyter's notebooks uses, and Jupyter itself. */
export const corpusRequirements = locked('./corpus-requirements.txt');

async function interpreterOf(t: TestContext, name: string, requirements: string): Promise<string | undefined> {
  try {
    return path.join(await pythonEnvironment(name, requirements, (text) => t.diagnostic(text)), 'python');
  } catch (problem) {
    if (process.env.SVC_TEST_ALL === '1') throw problem;
    t.skip(`The environment ${name} could not be made: ${String(problem)}`);
    return undefined;
  }
}
