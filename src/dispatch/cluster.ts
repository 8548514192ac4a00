// What the cluster has, asked for at most twice a minute, and how many workers that makes room for.
import { type ClusterEngine, type ClusterNode, type Resources, slotsOn } from './engine.ts';

export interface Cluster {
  /** Throws EngineFailure where the engine cannot be asked. */
  nodes(): Promise<readonly ClusterNode[]>;
  /** As far as it is known; undefined while it was never told. */
  readonly known: readonly ClusterNode[] | undefined;
  /** How many workers may live at the same time. */
  most(): number;
}

const keptMilliseconds = 30_000;
/** Until the cluster has said what it has. */
const unknownMost = 1;

export function createCluster(
  engine: Pick<ClusterEngine, 'nodes'>,
  { resources, maxWorkers }: { readonly resources: Resources; readonly maxWorkers: number | null },
): Cluster {
  let known: readonly ClusterNode[] | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<readonly ClusterNode[]> | undefined;

  async function ask(): Promise<readonly ClusterNode[]> {
    known = await engine.nodes();
    askedAt = performance.now();
    return known;
  }

  return {
    get known() {
      return known;
    },
    async nodes() {
      if (known && performance.now() - askedAt < keptMilliseconds) return known;
      asking ??= ask().finally(() => {
        asking = undefined;
      });
      return asking;
    },
    most: () => maxWorkers ?? (known ? Math.max(1, slotsOn(known, resources)) : unknownMost),
  };
}
