// Which Python a notebook asks for, as its project file says it: exactly `requires-python = "==3.13.*"`, else nothing.
import fs from 'node:fs/promises';
import path from 'node:path';

export async function requestedPython(directory: string): Promise<string | undefined> {
  const text = await fs.readFile(path.join(directory, 'pyproject.toml'), 'utf8').catch(() => '');
  return /^\s*requires-python\s*=\s*["']==\s*(\d+\.\d+)\.\*["']/m.exec(text)?.[1];
}
