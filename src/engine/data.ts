// The data process (`python/svc_engine/data.py`): what it runs on.

import { z } from 'zod';
import type { Engine } from './engine.ts';

const versionsSchema = z.object({
  packages: z.object({ pyarrow: z.string(), pyiceberg: z.string(), duckdb: z.string() }),
  /** Arrow's allocator: `jemalloc`, `mimalloc` or `system`. */
  arrowMemoryPool: z.string(),
});

export type DataVersions = z.infer<typeof versionsSchema>;

/** The first answer waits for the imports, seconds on a cold disk. */
const IMPORT_TIMEOUT_MS = 120_000;

export function dataVersions(engine: Engine): Promise<DataVersions> {
  return engine.request('versions', {}, { schema: versionsSchema, timeoutMs: IMPORT_TIMEOUT_MS });
}
