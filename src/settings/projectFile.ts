// The `[tool.svc]` section of the project file in the working directory. A directory without one is normal; one that
// cannot be read or parsed is a problem that names the file and, where there is one, the line.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { settingsTable } from './table.ts';

export const PROJECT_FILE = 'pyproject.toml';

export interface ProjectSection {
  readonly path: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
}

/** For programs that read the environment alone. */
export const NO_PROJECT: ProjectSection = { path: PROJECT_FILE, values: {}, problems: [] };

export function readProjectSection(cwd: string): ProjectSection {
  const path = join(cwd, PROJECT_FILE);
  const broken = (problem: string): ProjectSection => ({ path, values: {}, problems: [problem] });
  let source: string;
  try {
    source = readFileSync(path, 'utf8');
  } catch (error) {
    if (isMissing(error)) return { path, values: {}, problems: [] };
    return broken(`${path} cannot be read: ${describe(error)}; make it readable or remove it`);
  }
  try {
    // Numbers beyond 2^53 in sections of other tools must not fail the parse.
    const document = parse(source, { integersAsBigInt: 'asNeeded' });
    const tool = document.tool ?? {};
    if (!isTable(tool)) return broken(`tool in ${path} is not a table; write the settings under [tool.svc]`);
    const section = tool.svc ?? {};
    if (!isTable(section)) return broken(`tool.svc in ${path} is not a table; write the settings under [tool.svc]`);
    return { path, values: section, problems: [] };
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    return broken(`${path}, line ${error.line}, column ${error.column}: ${firstLine(error.message)}; correct the file`);
  }
}

/** A block and the key it stands for, both written: neither is the obvious winner. */
export function ambiguousBlocks({ values, path }: ProjectSection): string[] {
  return settingsTable
    .filter(({ row, configKey }) => row.block !== null && row.block in values && configKey in values)
    .map(({ row, configKey }) => `${configKey} in ${path} stands beside [tool.svc.${row.block}]; keep one of the two`);
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The parser's message repeats the line it fails on below its first line. */
function firstLine(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/^Invalid TOML document: /, 'invalid TOML: ');
}
