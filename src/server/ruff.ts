// Ruff comes with the engine's environment, which may still be prepared when the server starts.
import { createRuff, type Ruff } from '../engine/index.ts';
import { ruffProgram } from '../places.ts';

export function ruffWhenReady(): () => Ruff | undefined {
  let found: Ruff | undefined;
  return () => {
    const program = found ? null : ruffProgram();
    if (program !== null) found = createRuff(program);
    return found;
  };
}
