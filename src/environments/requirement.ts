// One package requirement as people write it: `pandas`, `pandas>=2`, `polars[sql]==1.*`, `tomli; python_version < "3.11"`,
// `pkg @ git+https://host/repository`. Everything else (options, paths, several at once) is refused before any program sees it.

export interface Requirement {
  /** As packages are compared: lower case, with single dashes. */
  readonly name: string;
  /** `>=2,<3`, `@ https://host/file.whl`, or null for any version. */
  readonly specifier: string | null;
  /** When it is wanted: `python_version < "3.11"`; null for always. */
  readonly condition: string | null;
  /** It names where the package lies instead of a version. */
  readonly hasAddress: boolean;
  /** As it is written down. */
  readonly text: string;
}

export class RequirementError extends Error {
  override readonly name = 'RequirementError';
}

/** Longer requirements are refused everywhere. */
export const maxRequirementCharacters = 200;

const name = /[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?/.source;
const extras = String.raw`\[\s*(?:${name}(?:\s*,\s*${name})*)?\s*\]`;
const clause = String.raw`(?:===|==|~=|!=|<=|>=|<|>)\s*[A-Za-z0-9](?:[A-Za-z0-9.*+!_-]*)`;
const clauses = String.raw`${clause}(?:\s*,\s*${clause})*`;
const marker = String.raw`;\s*[\w\s"'.<>=!~()+*-]+`;
const grammar = new RegExp(
  String.raw`^(${name})\s*(?:${extras})?\s*(?:(${clauses})|\(\s*(${clauses})\s*\))?\s*(${marker})?$`,
);

const addressed = new RegExp(String.raw`^(${name})\s*(?:${extras})?\s*@\s*(\S+?)(\s+${marker})?$`);

export const canonicalName = (given: string): string => given.toLowerCase().replace(/[-_.]+/g, '-');

interface Allowed {
  /** Whether `; python_version < "3.12"` may follow. */
  readonly markers?: boolean;
  readonly addresses?: boolean;
}

export function parseRequirement(given: string, { markers = true, addresses = true }: Allowed = {}): Requirement {
  const text = given.trim();
  const problem = (reason: string): RequirementError =>
    new RequirementError(`${shown(text)} ${reason}; write a name with or without a version, such as pandas>=2`);
  if (text.length > maxRequirementCharacters) throw problem(`is longer than ${maxRequirementCharacters} characters`);
  if (/[\r\n]/.test(text)) throw problem('is more than one line');
  if (/^[^<>=!~;]*@/.test(text)) {
    const [, addressedName, address = '', condition] = addressed.exec(text) ?? [];
    if (addressedName === undefined || !addresses) throw problem('names an address instead of a version');
    if (condition !== undefined && !markers) throw problem('carries a condition after ";"');
    const objection = objectionTo(address);
    if (objection !== undefined) throw problem(objection);
    const specifier = `@ ${address}`;
    return {
      name: canonicalName(addressedName),
      specifier,
      condition: bareCondition(condition),
      hasAddress: true,
      text,
    };
  }
  const [found, packageName, bare, inParentheses, condition] = grammar.exec(text) ?? [];
  if (found === undefined || packageName === undefined) throw problem('is not one package requirement');
  if (condition !== undefined && !markers) throw problem('carries a condition after ";"');
  const specifier = (bare ?? inParentheses)?.replace(/\s+/g, '') ?? null;
  return { name: canonicalName(packageName), specifier, condition: bareCondition(condition), hasAddress: false, text };
}

const bareCondition = (written: string | undefined): string | null =>
  written === undefined ? null : written.replace(/^[\s;]+/, '').trimEnd();

/** Packages come over the network, and what lies in a project's file is read by many: no paths, no passwords. */
function objectionTo(address: string): string | undefined {
  if (!/^(?:https?|git\+https?|git\+ssh):\/\/[^/]/.test(address) || !URL.canParse(address))
    return 'names an address that is not https://… or git+https://…';
  const { username, password } = new URL(address);
  const isSecret = password !== '' || (username !== '' && !address.startsWith('git+ssh:'));
  return isSecret ? 'carries a password in its address; let git or netrc know it instead' : undefined;
}

/** The same requirement, of this version or a later one; for one that names no version. */
export function withLowerBound(text: string, version: string): string {
  const [head = ''] = new RegExp(`^${name}\\s*(?:${extras})?`).exec(text) ?? [];
  // `+cpu` says how a version was built and cannot be compared.
  return `${head.trimEnd()}>=${version.replace(/\+.*$/, '')}${text.slice(head.length)}`;
}

export function isPackageName(given: string): boolean {
  return given.length <= maxRequirementCharacters && new RegExp(`^${name}$`).test(given);
}

/** On one line, without what a terminal would act on, and not longer than a line. */
const shown = (text: string): string => JSON.stringify(text.slice(0, 80).replace(/[^\P{C}]/gu, ' '));
