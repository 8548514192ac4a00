// What a file or folder looks like by names, sizes and times: a walk tells without reading.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';

const sha = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Another text when something in it changed; one that is not there has one too. */
export async function walkedStamp(place: string): Promise<string> {
  const found = await fs.stat(place, { bigint: true }).catch(() => undefined);
  if (!found) return sha('missing');
  if (!found.isDirectory()) return sha(`${place}:${found.size}:${found.mtimeNs}`);
  const lines: string[] = [];
  for await (const entry of fs.glob('**/*', { cwd: place, withFileTypes: true, exclude: [] })) {
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const { size, mtimeNs } = await fs.stat(file, { bigint: true });
    lines.push(`${path.relative(place, file)}:${size}:${mtimeNs}`);
  }
  return sha(lines.sort().join('\n'));
}
