// Which of the server's environment variables a cell gets to see. The server's own settings never reach a cell unless
// one is named exactly: they hold its secrets.
import { isOwnVariable } from '../settings/index.ts';

import type { CellLimits } from './cellLimits.ts';

/** What the process of a cell finds of the server, and what it may take. */
export interface CellPolicy {
  /** The server's environment. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Exact names, or prefixes that end in `*`. Empty: everything but the server's own settings. */
  readonly allowlist: readonly string[];
  readonly limits?: CellLimits | undefined;
}

const ESSENTIAL = new Set(['PATH', 'HOME', 'LANG', 'LOGNAME', 'USER', 'SHELL', 'TMPDIR', 'TEMP', 'TMP', 'PWD', 'TZ']);
const ESSENTIAL_PREFIXES = ['UV_', 'LC_', 'PYTHON', 'VIRTUAL_ENV', 'R_', 'RSTUDIO_'];
const LOOKS_SECRET = /SECRET|TOKEN|PASSW|CREDENTIAL|PRIVATE|API_?KEY|ACCESS_?KEY|AUTH|SESSION/i;
/** Package indexes are often written with a user and a password in the address. */
const MAY_NAME_AN_INDEX = /^UV_(?:PUBLISH_.*|INDEX|INDEX_URL|EXTRA_INDEX_URL|DEFAULT_INDEX|INDEX_.*_(?:USERNAME|URL))$/;

export function cellEnvironment({ variables, allowlist }: CellPolicy): Record<string, string> {
  const exact = new Set(allowlist.filter((entry) => !entry.endsWith('*')));
  const prefixes = allowlist.filter((entry) => entry.endsWith('*')).map((entry) => entry.slice(0, -1));
  const passed: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined && passes(name, exact, prefixes)) passed[name] = value;
  }
  return passed;
}

function passes(name: string, exact: ReadonlySet<string>, prefixes: readonly string[]): boolean {
  if (exact.has(name)) return true;
  if (isOwnVariable(name)) return false;
  if (exact.size === 0 && prefixes.length === 0) return true;
  return prefixes.some((prefix) => name.startsWith(prefix)) || isEssential(name);
}

function isEssential(name: string): boolean {
  if (ESSENTIAL.has(name)) return true;
  const listed = ESSENTIAL_PREFIXES.some((prefix) => name.startsWith(prefix));
  return listed && !LOOKS_SECRET.test(name) && !MAY_NAME_AN_INDEX.test(name);
}
