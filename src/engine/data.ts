// The data process (`python/svc_engine/data.py`): what it runs on and how much memory Arrow holds there.

import { z } from 'zod';
import type { Engine } from './engine.ts';

const versionsSchema = z.object({
  packages: z.object({ pyarrow: z.string(), pyiceberg: z.string(), duckdb: z.string() }),
  /** Arrow's allocator: `jemalloc`, `mimalloc` or `system`. */
  arrowMemoryPool: z.string(),
});

const memorySchema = z.object({
  arrowMemoryPool: z.string(),
  bytesAllocated: z.int(),
  /** The highest `bytesAllocated` so far; null where the allocator does not count. */
  maxMemory: z.int().nullable(),
});

export type DataVersions = z.infer<typeof versionsSchema>;
export type DataMemory = z.infer<typeof memorySchema>;

/** The first answer waits for the imports, seconds on a cold disk. */
const IMPORT_TIMEOUT_MS = 120_000;

export function dataVersions(engine: Engine): Promise<DataVersions> {
  return engine.request('versions', {}, { schema: versionsSchema, timeoutMs: IMPORT_TIMEOUT_MS });
}

export function dataMemory(engine: Engine): Promise<DataMemory> {
  return engine.request('memory', {}, { schema: memorySchema, timeoutMs: IMPORT_TIMEOUT_MS });
}
