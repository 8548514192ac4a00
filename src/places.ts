// Where the parts of this project that are not TypeScript lie, and the modules that run in threads of their own: these
// have one address among the sources and another in what is built of them.
import fs from 'node:fs';
import path from 'node:path';
import { engineEnvironment, root } from '../scripts/setup/places.js';

const isBuilt = !import.meta.url.endsWith('.ts');

export const projectFolder = root;
export const engineProgram = path.join(root, 'python/svc_engine/__main__.py');
export const runtimeProgram = path.join(root, 'python/svc_runtime');
export const rFolder = path.join(root, 'r');

/** By its path below `src`, without its ending. */
export const threadProgram = (name: string): string =>
  isBuilt ? path.join(root, 'dist', `${name}.js`) : path.join(root, 'src', `${name}.ts`);

/** What remarks on Python source and formats it; null while the engine's environment has not been prepared. */
export const ruffProgram = (): string | null => engineTool('ruff');

/** What helps whoever types: both lie in the engine's environment, and are null while it has not been prepared. */
export function typingTools(): { readonly jediFolder: string | null; readonly languageServer: string | null } {
  const [found] = fs.globSync('lib/python3*/site-packages/jedi', { cwd: engineEnvironment });
  const jediFolder = found === undefined ? null : path.dirname(path.join(engineEnvironment, found));
  return { jediFolder, languageServer: engineTool('pyrefly') };
}

function engineTool(name: string): string | null {
  const program = path.join(engineEnvironment, 'bin', name);
  return fs.existsSync(program) ? program : null;
}
