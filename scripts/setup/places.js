// Where setup puts things. All of it lies inside the checkout; `.tools` is ours and may be deleted at any time.
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(fileURLToPath(import.meta.url), '../../..');
export const tools = path.join(root, '.tools');
export const nodeBinary = path.join(root, 'node_modules/.bin/node');
export const engineEnvironment = path.join(tools, 'engine');
export const enginePython = path.join(engineEnvironment, 'bin/python');
export const engineRequirements = path.join(root, 'python/svc_engine/requirements.txt');
export const sources = path.join(root, 'src');
export const build = path.join(root, 'dist');
export const webSources = path.join(root, 'web');
export const webBuild = path.join(root, 'web/dist');
