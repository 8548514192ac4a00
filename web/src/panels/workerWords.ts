// How busy a worker is and what it has, in words.
import type { Worker } from '../api/index.ts';

type Load = NonNullable<Worker['load']>;

export function loadOf({ running, capacity, waiting }: Load): string {
  const places = capacity === null ? `${running} running` : `${running} of ${capacity} slots used`;
  return waiting === 0 ? places : `${places} · ${waiting} waiting`;
}

export function amountOf({ nodes, cpus, memory_mb, gpus }: Load): string {
  return [
    ...(nodes === null ? [] : [many(nodes, 'node')]),
    ...(cpus === null ? [] : [many(cpus, 'CPU')]),
    ...(memory_mb === null || memory_mb === 0 ? [] : [`${Math.round(memory_mb / 1024)} GiB`]),
    ...(gpus === 0 ? [] : [many(gpus, 'GPU')]),
  ].join(' · ');
}

const many = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
