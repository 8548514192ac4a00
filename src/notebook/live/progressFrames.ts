// Frames that tell how far a loop or a fan-out has come.
import type { IterationEvent, VariantEvent } from '../run/index.ts';

export function progressFrame(cellId: string, event: IterationEvent | VariantEvent): [type: string, payload: object] {
  if (event.type === 'iteration') {
    return [
      'cell_iteration_progress',
      {
        cell_id: cellId,
        iteration: event.iteration,
        max_iter: event.maxIter,
        artifact_uri: event.value.uri,
        content_type: event.value.contentType,
        until_reached: event.untilReached,
        duration_ms: Math.round(event.durationMs),
      },
    ];
  }
  return [
    'cell_variant_progress',
    {
      cell_id: cellId,
      variant: event.variant,
      index: event.index,
      total: event.total,
      success: event.error === null,
      duration_ms: Math.round(event.durationMs),
      error: event.error,
    },
  ];
}
