// What a worker says of itself. A feature is named only when this machine has what it needs.
import { bundleVersion } from '../bundle/index.ts';
import { version } from '../version.ts';
import type { Capacity, CapacityLimits } from './capacity.ts';
import type { Hardware } from './hardware.ts';
import { cellProtocol, cellTransform, executorProtocol } from './pushRequest.ts';

export interface HealthParts {
  readonly capacity: Capacity;
  readonly limits: CapacityLimits;
  readonly launchId: string | null;
  readonly hasUv: boolean;
  readonly hasR: boolean;
  /** Whether R can load its lock tool. */
  readonly hasRenv: () => Promise<boolean>;
  readonly hardware: () => Promise<Hardware>;
}

export async function healthOf(parts: HealthParts): Promise<object> {
  const { capacity, limits, launchId, hasUv, hasR, hasRenv, hardware } = parts;
  return {
    status: 'healthy',
    capabilities: {
      protocol_versions: [executorProtocol],
      transform_refs: [cellTransform],
      features: {
        notebook_protocol_version: cellProtocol,
        output_format: bundleVersion,
        pull_model: true,
        cancel: true,
        output_dirs: true,
        folder_inputs: true,
        locked_environments: hasUv,
        languages: hasR ? ['python', 'r'] : ['python'],
        locked_r_environments: await hasRenv(),
      },
    },
    version,
    uptime_seconds: process.uptime(),
    launch_id: launchId,
    active_executions: capacity.active,
    max_concurrent: limits.maxConcurrent,
    gpu_slots: limits.gpuSlots,
    free_gpu_slots: capacity.freeGpus,
    hardware: await hardware(),
  };
}
