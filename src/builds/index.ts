// The door of the builds room: transforms that are offered, and their way from an order to a stored result.

export { type BuildAdmission, BuildRefused, createBuildAdmission } from './admission.ts';
export { type Build, shortMessage } from './build.ts';
export { type BuildInput, type Builds, createBuilds } from './builds.ts';
export { createTransforms, reservedKeys, type Transforms } from './registry.ts';
export { createBuildRows } from './rows.ts';
