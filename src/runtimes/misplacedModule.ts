// A module that cells cannot import because it lies in the notebook's own folder, and not in the one that they run in.
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Place, RunResult } from './runtime.ts';

/** The same run; where it failed for such a module it says so, and no package of that name is suggested. */
export function namingMisplaced(
  run: RunResult,
  { notebookDir, workDir }: Pick<Place, 'notebookDir' | 'workDir'>,
): RunResult {
  const { error } = run;
  const name =
    error?.error_type === 'ModuleNotFoundError' ? /^No module named '(\w+)/.exec(error.message)?.[1] : undefined;
  if (!error || name === undefined || notebookDir === workDir) return run;
  const file = [`${name}.py`, `${name}/__init__.py`].find((one) => existsSync(path.join(notebookDir, one)));
  if (file === undefined) return run;
  const lies = path.dirname(file) === '.' ? file : `${name}/`;
  const told = `${lies} lies in the notebook's folder, and cells import from its folder ${path.basename(workDir)}: move it there.`;
  return {
    ...run,
    suggestInstall: null,
    error: { ...error, message: `${error.message}\n${told}`, text: `${error.text.trimEnd()}\n${told}` },
  };
}
