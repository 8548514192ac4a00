// What computes a transform: inputs as files go in, one Arrow stream comes out. One in this process, others over HTTP.
import type { ArtifactVersion, StagedBytes } from '../artifacts/index.ts';
import type { Build } from './build.ts';
import type { OfferedTransform } from './registry.ts';

export interface ExecutorWork {
  readonly build: Build;
  readonly version: ArtifactVersion;
  readonly transform: OfferedTransform;
  /** Arrow streams, in the order in which the transform lists them. */
  readonly inputs: readonly string[];
  readonly signal: AbortSignal;
}

export interface Produced {
  readonly bytes: StagedBytes;
  readonly schema: string;
  readonly rowCount: number;
}

export type Executor = (work: ExecutorWork) => Promise<Produced>;
