// What a cell that ran in the worker's own environment says about packages that values travel by: where a notebook would
// add the package to its project, here whoever keeps the worker has to install it.
import type { CellError, RunResult, ValueRecord } from '../runtimes/index.ts';

/** As `python/svc_runtime/values` ends such a message. */
const usual = /needs (pyarrow|cloudpickle); add it to the environment that the cell runs in/g;

/** The same result, with messages that name what to install on this machine. */
export function namingRemedy(run: RunResult, interpreter: string): RunResult {
  const named = (text: string): string =>
    text.replace(usual, (_, name) => `needs ${name}; install it on the worker: ${interpreter} -m pip install ${name}`);
  const ofValue = (value: ValueRecord): ValueRecord =>
    value.error === undefined ? value : { ...value, error: named(value.error) };
  const ofError = (error: CellError): CellError => ({
    ...error,
    message: named(error.message),
    text: named(error.text),
  });
  return {
    ...run,
    error: run.error && ofError(run.error),
    variables: Object.fromEntries(Object.entries(run.variables).map(([name, value]) => [name, ofValue(value)])),
    displays: run.displays.map(ofValue),
  };
}
