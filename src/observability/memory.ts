/**
 * Memory of this process. The protocol's `python` member tells of the interpreter's heap; here that is V8's, in bytes,
 * since V8 does not count objects. Arrow's pool lives in the engine process, which tells of it through `arrow`.
 */
import { readFileSync } from 'node:fs';
import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8';
import type { ArrowMemory, DetailedMemoryBody, MemorySnapshot } from '../protocol/index.ts';

const mebibyte = 1024 * 1024;

export function memorySnapshot(arrow: ArrowMemory): MemorySnapshot {
  const heap = getHeapStatistics();
  const { rss } = process.memoryUsage();
  const virtual = virtualBytes();
  return {
    arrow: {
      bytes_allocated: arrow.bytes_allocated,
      max_memory: arrow.max_memory,
      pool_backend: arrow.pool_backend,
      allocated_mb: inMebibytes(arrow.bytes_allocated),
      max_mb: inMebibytes(arrow.max_memory),
    },
    python: {
      gc_tracked_objects: heap.used_heap_size,
      gc_objects_by_gen: usedByGeneration(),
      unit: 'bytes',
      heap_total_bytes: heap.total_heap_size,
      heap_limit_bytes: heap.heap_size_limit,
      external_bytes: heap.external_memory,
    },
    process: {
      rss_bytes: rss,
      vms_bytes: virtual,
      rss_mb: inMebibytes(rss),
      vms_mb: virtual === null ? null : inMebibytes(virtual),
    },
  };
}

export function detailedMemory(arrow: ArrowMemory): DetailedMemoryBody {
  return {
    snapshot: memorySnapshot(arrow),
    arrow_details: { ...arrow },
    python_details: {
      heap: getHeapStatistics(),
      heap_spaces: getHeapSpaceStatistics(),
      memory_usage: process.memoryUsage(),
    },
  };
}

/** Young objects are generation 0 and everything else 2; V8 has nothing between. */
function usedByGeneration(): number[] {
  let young = 0;
  let old = 0;
  for (const space of getHeapSpaceStatistics()) {
    if (space.space_name.startsWith('new_')) young += space.space_used_size;
    else old += space.space_used_size;
  }
  return [young, 0, old];
}

function virtualBytes(): number | null {
  if (process.platform !== 'linux') return null;
  const kilobytes = /^VmSize:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

function inMebibytes(bytes: number): number {
  return Math.round((bytes / mebibyte) * 100) / 100;
}
