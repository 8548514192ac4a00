// The door of the diagnostics.
export { diagnose } from './diagnose.ts';
export { importedNames } from './imports.ts';
export type { AnalysedFacts, DiagnosisContext, Diagnostic } from './types.ts';
