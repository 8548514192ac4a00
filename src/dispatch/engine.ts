// What a cluster engine is to the dispatcher: it runs worker programs as its jobs, says how they are, and stops them. What it
// schedules and where is its own business.

/** What one worker is given. */
export interface Resources {
  readonly cpus: number;
  /** Null: what the engine gives by itself. */
  readonly memoryBytes: number | null;
  readonly gpus: number;
  /** How long it may live; null: as long as the engine lets it. */
  readonly seconds: number | null;
  readonly custom: Readonly<Record<string, number>>;
}

export interface WorkerOrder {
  /** Its workers are called `<batch>-0`, `<batch>-1`, … */
  readonly batch: string;
  readonly count: number;
  readonly resources: Resources;
  /** Where they dial in, without the name at its end. */
  readonly dial: string;
  /** Beside what the engine's machines have; holds secrets. */
  readonly env: Readonly<Record<string, string>>;
}

export type JobReport =
  /** `position`: in the engine's own line, from 1. */
  | { readonly state: 'waiting'; readonly position: number | null; readonly reason: string | null }
  /** `isEnding`: how, is not known yet. */
  | { readonly state: 'running'; readonly node: string | null; readonly isEnding?: boolean }
  | ({ readonly state: 'ended' } & JobLoss);

/** How a job ended, for whoever lost a cell with it. */
export interface JobLoss {
  /** A sentence. */
  readonly reason: string;
  /** The cluster took it away, or it met a limit that it would meet again, or it broke. */
  readonly kind: 'taken' | 'memory' | 'time' | 'broken';
}

export interface ClusterNode {
  readonly cpus: number;
  readonly memoryBytes: number;
  readonly gpus: number;
  readonly gpuName?: string | undefined;
  readonly custom: Readonly<Record<string, number>>;
}

export interface ClusterEngine {
  readonly name: 'slurm' | 'ray';
  nodes(): Promise<readonly ClusterNode[]>;
  /** Throws EngineFailure where the engine will not have it. */
  submit(order: WorkerOrder): Promise<void>;
  /** All workers of this dispatcher that the engine still knows, by name. */
  reports(): Promise<ReadonlyMap<string, JobReport>>;
  stop(names: readonly string[]): Promise<void>;
  /** The end of what a worker printed; empty where nobody knows. */
  lastWords(name: string): Promise<string>;
  /** What is kept of a worker that has ended may go. */
  forget(name: string): Promise<void>;
}

/** The engine cannot be reached, or refuses. */
export class EngineFailure extends Error {
  override name = 'EngineFailure';
}

/** How many workers of this kind fit on the nodes at the same time. */
export function slotsOn(nodes: readonly ClusterNode[], resources: Resources): number {
  return nodes.reduce((sum, node) => sum + slotsOnNode(node, resources), 0);
}

function slotsOnNode(node: ClusterNode, { cpus, memoryBytes, gpus, custom }: Resources): number {
  const shares = [
    Math.floor(node.cpus / cpus),
    ...(memoryBytes === null ? [] : [Math.floor(node.memoryBytes / memoryBytes)]),
    ...(gpus === 0 ? [] : [Math.floor(node.gpus / gpus)]),
    ...Object.entries(custom).map(([name, amount]) => Math.floor((node.custom[name] ?? 0) / amount)),
  ];
  return Math.max(0, Math.min(...shares));
}

/** In words, why no node could ever run it; undefined where one could. */
export function whyNever(nodes: readonly ClusterNode[], resources: Resources): string | undefined {
  if (nodes.length === 0 || slotsOn(nodes, resources) > 0) return undefined;
  const most = (of: (node: ClusterNode) => number): number => Math.max(...nodes.map(of));
  return `No node of the cluster has ${wordsFor(resources)}: the largest have ${wordsFor({
    cpus: most(({ cpus }) => cpus),
    memoryBytes: most(({ memoryBytes }) => memoryBytes),
    gpus: most(({ gpus }) => gpus),
    seconds: null,
    custom: Object.fromEntries(
      Object.keys(resources.custom).map((name) => [name, most(({ custom }) => custom[name] ?? 0)]),
    ),
  })}. Ask for less with # @resources, or let the cell run elsewhere.`;
}

export function wordsFor({ cpus, memoryBytes, gpus, seconds, custom }: Resources): string {
  return [
    `${cpus} CPU${cpus === 1 ? '' : 's'}`,
    ...(memoryBytes === null ? [] : [`${Math.round(memoryBytes / 1e7) / 100} GB of memory`]),
    ...(gpus === 0 ? [] : [`${gpus} GPU${gpus === 1 ? '' : 's'}`]),
    ...Object.entries(custom).map(([name, amount]) => `${amount} ${name}`),
    ...(seconds === null ? [] : [`${seconds} s`]),
  ].join(', ');
}
