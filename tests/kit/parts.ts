// Real programs that some tests use. Where one is missing its tests are skipped with a notice, except under
// SVC_TEST_ALL=1 (as in CI), where a missing part is a failure.
import fs from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';

export function findProgram(name: string, places: readonly string[] = []): string | undefined {
  const folders = [...places, ...(process.env.PATH ?? '').split(path.delimiter)];
  return folders.map((folder) => path.join(folder, name)).find((file) => fs.existsSync(file));
}

/** The program, or undefined after the test was marked as skipped. */
export function needProgram(
  t: Pick<TestContext, 'skip'>,
  name: string,
  hint: string,
  places: readonly string[] = [],
): string | undefined {
  const found = findProgram(name, places);
  if (found !== undefined) return found;
  if (process.env.SVC_TEST_ALL === '1') throw new Error(`${name} is missing. ${hint}`);
  t.skip(`${name} is missing. ${hint}`);
  return undefined;
}
