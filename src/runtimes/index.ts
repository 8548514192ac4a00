// The door of the runtimes room: one interface to run cells, and the languages that offer it.

export { parseExactly, plainNumber } from '../exactJson.ts';
export { type CellUser, type FindUser, findUser } from './cellUser.ts';
export { type Effects, type FileIdentity, noEffects, type ReadFile } from './effects.ts';
export { type CellPolicy, cellEnvironment } from './environment.ts';
export type { JavaScriptParts } from './javascript/javascriptRuntime.ts';
export { type AiChoice, type AiOffer, chooseProvider, type ModelUsage, type Provider } from './prompt/provider.ts';
export { importedModules, rootOf } from './python/imports.ts';
export { type KnownModule, modulesFileIn, readKnownModules } from './python/knownModules.ts';
export {
  errorSchema as cellErrorSchema,
  recordSchema as valueRecordSchema,
  testsSchema as testOutcomesSchema,
} from './python/messages.ts';
export { createPythonRuntime, type PythonRuntime, type PythonRuntimeOptions } from './python/pythonRuntime.ts';
export { createRAnalysis, type RNames } from './r/rAnalysis.ts';
export { createRPool, type RPool, type RPoolOptions } from './r/rPool.ts';
export type { FrameText, RRuntimeParts } from './r/rRuntime.ts';
export * from './runtime.ts';
export type { RunSettings, Setting } from './settings.ts';
export { failedRun, succeededRun } from './withoutProcess.ts';
