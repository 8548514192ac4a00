// The door of the graph: build it, keep it, ask it.
export {
  type ExportPlan,
  injectableNames,
  type ModuleCell,
  type ModuleExport,
  moduleCell,
  planExports,
} from './moduleExports.ts';
export type { Dag, DagCell, Edge, VariantGroup, VariantSelection, Wiring } from './types.ts';
export { buildDag, type DagChange, type DagUpdate, emptyDag, updateDag } from './update.ts';
export { copyName, selectionsWithout } from './variants.ts';
export {
  consumedVariables,
  type DagBody,
  dagBody,
  downstreamIds,
  findCell,
  inputsOf,
  isActiveVariant,
  isLeaf,
  shadowWarnings,
  sweepsOf,
  transitiveDownstream,
  transitiveUpstream,
  upstreamIds,
  type VariantGroupBody,
  variantGroupBody,
} from './views.ts';
