// Where setup puts things. In a checkout all of it lies inside, and in a copy that a server made on another machine; an
// installed package, whose folder may not be ours to write, keeps it in the home. `tools` is ours and may be deleted at any
// time.
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.resolve(fileURLToPath(import.meta.url), '../../..');
export const sources = path.join(root, 'src');
export const isCheckout = fs.existsSync(sources);
const inside = path.join(root, '.tools');
export const tools = isCheckout || fs.existsSync(inside) ? inside : path.join(os.homedir(), '.svc/tools');
export const compiled = isCheckout ? path.join(root, 'node_modules/.cache/svc') : path.join(tools, 'compiled');
export const nodeBinary = path.join(root, 'node_modules/.bin/node');
export const engineEnvironment = path.join(tools, 'engine');
export const enginePython = path.join(engineEnvironment, 'bin/python');
export const engineRequirements = path.join(root, 'python/svc_engine/requirements.txt');
export const build = path.join(root, 'dist');
export const webSources = path.join(root, 'web');
export const webBuild = path.join(root, 'web/dist');
