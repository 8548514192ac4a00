// What of a notebook's environment enters the key of a result: the lock file. Without one it is the hash of nothing.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

export async function lockfileHash(directory: string): Promise<string> {
  const bytes = await fs.readFile(path.join(directory, 'uv.lock')).catch(() => Buffer.alloc(0));
  return createHash('sha256').update(bytes).digest('hex');
}
