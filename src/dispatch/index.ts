// The door of the dispatcher.
export { createRay } from './ray.ts';
export { createSlurm } from './slurm.ts';
export { startDispatch } from './start.ts';
