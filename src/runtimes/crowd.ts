// The cells that this process runs now. As many as the machine has cores take what they can get, like any program of its users;
// those that come beside them stand back, so that the service answers however many there are.
import { availableParallelism } from 'node:os';
import { type CellLimits, standBack } from './cellLimits.ts';

let running = 0;

/** A cell begins in the process `pid`, which leads a session. Gives what is to be called when it is over. */
export function joinCrowd(pid: number | undefined, limits: CellLimits | undefined): () => void {
  running += 1;
  if (running > availableParallelism()) standBack(pid, limits);
  let isOver = false;
  return () => {
    if (!isOver) running -= 1;
    isOver = true;
  };
}
