// What a worker says of itself. A feature is named only when this machine has what it needs.
import { bundleVersion } from '../bundle/index.ts';
import { version } from '../version.ts';
import type { Capacity, CapacityLimits } from './capacity.ts';
import type { EnvironmentMode } from './environmentChoice.ts';
import type { Hardware } from './hardware.ts';
import type { OwnEnvironment } from './ownPython.ts';
import { cellProtocol, cellTransform, executorProtocol } from './protocolNames.ts';

export interface HealthParts {
  readonly capacity: Capacity;
  readonly limits: CapacityLimits;
  readonly launchId: string | null;
  readonly mode: EnvironmentMode;
  readonly hasUv: boolean;
  readonly hasR: boolean;
  /** Whether R can load its lock tool; null until it is known. */
  readonly hasRenv: boolean | null;
  readonly hardware: Hardware;
  /** Null until it is known, or when there is no interpreter. */
  readonly own: OwnEnvironment | null;
}

export function healthOf(parts: HealthParts): object {
  const { capacity, limits, launchId, mode, hasUv, hasR, hasRenv, hardware, own } = parts;
  const takesLocks = mode !== 'own';
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
        environment: mode,
        locked_environments: takesLocks && (hasUv || mode === 'locked'),
        languages: hasR ? ['python', 'r'] : ['python'],
        locked_r_environments: takesLocks && hasRenv,
      },
    },
    version,
    uptime_seconds: process.uptime(),
    launch_id: launchId,
    active_executions: capacity.active,
    max_concurrent: limits.maxConcurrent,
    gpu_slots: limits.gpuSlots,
    free_gpu_slots: capacity.freeGpus,
    hardware,
    own_environment: own,
  };
}
