// Which environment a cell runs in: the one that the server sends as a lock, or the worker's own. The operator of the worker
// has the first word; a cell that asks for what the operator has closed is refused, and never runs in the other one.
import type { Order } from './order.ts';
import { failed } from './refused.ts';

export type EnvironmentMode = 'locked' | 'own' | 'auto';

export function environmentFor(
  mode: EnvironmentMode,
  { environment, environmentKind: asked }: Pick<Order, 'environment' | 'environmentKind'>,
): 'locked' | 'own' {
  const isSent = environment !== undefined;
  if (mode === 'own' && asked === 'locked')
    throw failed(
      500,
      'The cell is to run in the locked environment of its notebook, and this worker runs cells in its own alone (--environment own). Ask for environment = "own" or "auto", or use another worker.',
    );
  if (mode === 'locked' && (asked === 'own' || !isSent))
    throw failed(
      500,
      'This worker runs cells in locked environments alone (--environment locked), and the cell came without one. Lock the environment of the notebook and ask for "locked" or "auto", or use another worker.',
    );
  if (asked === 'locked' && !isSent)
    throw failed(400, 'The cell is to run in a locked environment, and none was sent with it.');
  if (mode !== 'auto') return mode;
  return asked ?? (isSent ? 'locked' : 'own');
}
