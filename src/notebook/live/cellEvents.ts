// What a running cell says on its way, told to whoever watches.
import type { CellEvent } from '../run/index.ts';
import type { Audience } from './audience.ts';
import type { LiveConsole } from './console.ts';
import type { Iterations } from './iterations.ts';
import { progressFrame } from './progressFrames.ts';
import type { Whereabouts } from './whereabouts.ts';

export interface Listeners {
  readonly audience: Audience;
  readonly console: LiveConsole;
  readonly iterations: Pick<Iterations, 'progress'>;
  readonly whereabouts: Pick<Whereabouts, 'tell'>;
}

export function tellEvent(
  { audience, console, iterations, whereabouts }: Listeners,
  cellId: string,
  event: CellEvent,
): void {
  if (event.type === 'console') console.write(cellId, event);
  else if (event.type === 'remote') whereabouts.tell(cellId, event);
  else if (event.type === 'delta') {
    const { kind, attempt, text } = event;
    audience.broadcast('cell_output_delta', { cell_id: cellId, attempt, kind, text });
  } else {
    if (event.type === 'iteration') iterations.progress(cellId, event);
    audience.broadcast(...progressFrame(cellId, event));
  }
}
