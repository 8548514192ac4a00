// The door of the engine room: ask Python processes, and learn in typed errors what went wrong.

export {
  type Analysis,
  createAnalysis,
  type ModuleFacts,
  type PythonAnalysis,
  type WidgetCell,
  type WidgetDescriptor,
} from './analysis.ts';
export {
  browseTable,
  compareTables,
  describeColumn,
  exportTable,
  summariseTable,
  type TableFilter,
  type TableView,
  wholeTable,
} from './browse.ts';
export type { EngineCommand, EngineMemory } from './child.ts';
export { type DataVersions, dataVersions } from './data.ts';
export { createEngine, type Engine, type EngineLogEntry, type EngineOptions, type EngineState } from './engine.ts';
export {
  EngineCrashed,
  EngineError,
  type EngineErrorCode,
  EngineMisanswered,
  EngineRefused,
  EngineTimeout,
  EngineUnavailable,
} from './errors.ts';
export {
  type AmbiguousNames,
  ambiguousNamesSchema,
  type ExplicitNames,
  type ExplicitPlan,
  explicitNames,
  type NamedCell,
  type NamedChange,
} from './explicitNames.ts';
export { type FolderWatch, folderWatches, type SeenFiles } from './folderWatches.ts';
export { type FileBeside, type ForeignNotebook, type ForeignNotebooks, foreignNotebooks } from './foreign.ts';
export type { Json, JsonObject } from './frames.ts';
export type { RequestOptions } from './job.ts';
export { DEFAULT_LIMITS, type EngineLimits } from './limits.ts';
export { createEnginePool, type EnginePool } from './pool.ts';
export { createEnginePreparation, type EnginePreparation, type PreparationState } from './preparation.ts';
export { needsTables, type RenderedPrompt, renderPrompt, type TemplateInputs } from './prompts.ts';
export { frameText } from './rFrames.ts';
export { createRuff, type Remark, type Ruff } from './ruff.ts';
