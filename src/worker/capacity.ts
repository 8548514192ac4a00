// How much a worker takes on at a time. Whether there is room and the taking of it are one step, so that two requests never
// get the same GPU. A reason to be full must also be told by `health.ts` and read by `workers/room.ts`: a server waits only for a
// worker that says of itself that it is full.
import { full } from './refused.ts';

export interface Seat {
  /** The GPU that is this cell's alone, as CUDA knows it. */
  readonly gpu: string | null;
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
  /** What the worker itself may see, by the variable of that name: a scheduler may have left it some of many. */
  readonly visibleDevices?: string | undefined;
}

export function createCapacity({ maxConcurrent, gpuSlots, visibleDevices = '' }: CapacityLimits): Capacity {
  const devices = visibleDevices.split(',').map((device) => device.trim());
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
        gpu: gpu === null ? null : devices[gpu] || String(gpu),
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
