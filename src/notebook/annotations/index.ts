// The door of the annotations: what a source says about its cell, who decides when several say something, and what is
// wrong with it.
export { bodyOf, type Directive, leadingBlock } from './block.ts';
export {
  type AnalysedFacts,
  type DiagnosisContext,
  type Diagnostic,
  diagnose,
  importedNames,
} from './diagnostics/index.ts';
export { pinFetch, removeDirective, setDirective } from './edit.ts';
export { annotationFingerprint, sourceHash } from './fingerprint.ts';
export { type BodyNames, graphNames, outputVariable } from './graphNames.ts';
export { untilSource } from './loop.ts';
export { withOwnResult } from './ownResult.ts';
export { parseAnnotations } from './parse.ts';
export {
  defaultTimeoutSeconds,
  filledByFetch,
  type Level,
  localWorker,
  mountsOf,
  notebookEnv,
  type Resolved,
  resolveEnv,
  resolveMounts,
  resolveTimeout,
  resolveWorker,
} from './precedence.ts';
export { type AnnotationRecord, annotationRecord } from './record.ts';
export { parseDuration, parseSize, type ResourceAnnotation } from './resources.ts';
export type {
  Annotations,
  CachePolicy,
  DatasetAnnotation,
  FetchAnnotation,
  LoopAnnotation,
  PromptAnnotations,
  TableAnnotation,
  WriteTableAnnotation,
} from './types.ts';
export { isIdentifier } from './words.ts';
