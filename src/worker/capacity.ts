// How much a worker takes on at a time. Whether there is room and the taking of it are one step, so that two requests never
// get the same GPU.
import { full } from './refused.ts';

export interface Seat {
  /** The GPU that is this cell's alone. */
  readonly gpu: number | null;
  release(): void;
}

export interface Capacity {
  /** Throws when the worker is full. */
  take(): Seat;
  readonly active: number;
  readonly freeGpus: number | null;
}

export interface CapacityLimits {
  readonly maxConcurrent: number | null;
  readonly gpuSlots: number | null;
}

export function createCapacity({ maxConcurrent, gpuSlots }: CapacityLimits): Capacity {
  const gpus = new Set(Array.from({ length: gpuSlots ?? 0 }, (_, index) => index));
  let active = 0;
  return {
    get active() {
      return active;
    },
    get freeGpus() {
      return gpuSlots === null ? null : gpus.size;
    },
    take() {
      if (maxConcurrent !== null && active >= maxConcurrent)
        throw full(`This worker runs ${maxConcurrent} cells already, as many as it takes; try again later.`);
      const gpu = gpuSlots === null ? null : Math.min(...gpus);
      if (gpu === Number.POSITIVE_INFINITY)
        throw full(`All ${gpuSlots} GPU slots of this worker are taken; try again later.`);
      if (gpu !== null) gpus.delete(gpu);
      active += 1;
      let isReleased = false;
      return {
        gpu,
        release() {
          if (isReleased) return;
          isReleased = true;
          active -= 1;
          if (gpu !== null) gpus.add(gpu);
        },
      };
    },
  };
}
