// The door of the diagnostics.
export { diagnose } from './diagnose.ts';
export { importedNames } from './imports.ts';
export type { CellFacts, DiagnosisContext, Diagnostic } from './types.ts';
