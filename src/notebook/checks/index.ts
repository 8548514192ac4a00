// The door of checks.
export { flawsOfNotebook, resultsFileOf } from './notebook.ts';
