// Lists of packages that lie beside a notebook of others. What can be read of them counts; what cannot is named, and stops
// nothing: such a list was written for another tool.
import { parse } from 'smol-toml';
import { environmentLines, linesForPip } from './importFiles.ts';
import { projectFileName } from './projectFile.ts';
import { canonicalName, parseRequirement, type Requirement, RequirementError } from './requirement.ts';

export interface ListBeside {
  readonly name: string;
  readonly text: string;
}

export interface ReadLists {
  readonly requirements: readonly Requirement[];
  /** What was not taken, and why. */
  readonly left: readonly string[];
}

/** In the order in which they count. */
export const listNames = ['requirements.txt', 'environment.yml', 'environment.yaml', projectFileName];

/** They show notebooks and run them; here the service does. */
const ofJupyter = new Set(['jupyter', 'jupyterlab', 'notebook', 'nbclassic', 'ipykernel', 'voila']);

export async function readListsBeside(lists: readonly ListBeside[]): Promise<ReadLists> {
  const requirements: Requirement[] = [];
  const left: string[] = [];
  for (const { name, text } of lists.toSorted((a, b) => listNames.indexOf(a.name) - listNames.indexOf(b.name)))
    try {
      const { lines, warnings } = await linesOf(name, text);
      left.push(...warnings.map((warning) => `${name}: ${warning}`));
      for (const line of lines)
        try {
          const requirement = parseRequirement(line, { addresses: false });
          if (!ofJupyter.has(requirement.name)) requirements.push(requirement);
        } catch (error) {
          left.push(`${name}: ${wordsOf(error)}`);
        }
    } catch (error) {
      left.push(`${name}: ${wordsOf(error)}`);
    }
  return { requirements, left };
}

/** One of each name: the first that says which version, else the first. What the notebook says itself counts before lists. */
export function mergedRequirements(own: readonly Requirement[], listed: readonly Requirement[]): string[] {
  const byName = new Map<string, Requirement>();
  for (const { name } of [...listed, ...own]) {
    const all = [...own, ...listed].filter((one) => one.name === name);
    const [chosen] = [
      ...all.filter(({ specifier }) => specifier !== null),
      ...listed.filter((one) => one.name === name),
      ...all,
    ];
    if (chosen && !byName.has(name)) byName.set(name, chosen);
  }
  return [...byName.values()].map(({ text }) => text);
}

interface Lines {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

async function linesOf(name: string, text: string): Promise<Lines> {
  if (name === projectFileName) return projectLines(text);
  if (name.startsWith('environment')) return environmentLines(text);
  return linesForPip(text);
}

/** Those of the project itself: groups and extras are optional. */
function projectLines(text: string): Lines {
  const file: unknown = parse(text);
  const listed = memberOf(memberOf(file, 'project'), 'dependencies');
  const poetry = memberOf(memberOf(memberOf(file, 'tool'), 'poetry'), 'dependencies');
  const own = Array.isArray(listed) ? listed.filter((line) => typeof line === 'string') : [];
  return { lines: [...own, ...Object.entries(Object(poetry)).flatMap(poetryLine)], warnings: [] };
}

/** `pandas = "^2.1"`, `rich = { version = "*", optional = true }`. */
function poetryLine([name, asked]: [string, unknown]): string[] {
  if (canonicalName(name) === 'python' || memberOf(asked, 'optional') === true) return [];
  const version = typeof asked === 'string' ? asked : memberOf(asked, 'version');
  if (typeof version !== 'string') return [`${name} @ another place`];
  const clauses = version.split(',').map((clause) => poetryClause(clause.trim()));
  return [`${name}${clauses.filter((clause) => clause !== '').join(',')}`];
}

/** A caret leaves the first number that is not 0 as it is, a tilde the second. */
function poetryClause(clause: string): string {
  const [, sign = '', version = ''] = /^([~^]?)(\d[\d.]*)$/.exec(clause) ?? [];
  if (version === '') return clause === '*' ? '' : clause;
  if (sign === '') return `==${version}`;
  const numbers = version.split('.').map(Number);
  const kept =
    sign === '~'
      ? Math.min(1, numbers.length - 1)
      : Math.max(
          0,
          numbers.findIndex((number) => number > 0),
        );
  const next = numbers.map((number, place) => (place < kept ? number : place === kept ? number + 1 : 0));
  return `>=${version},<${next.slice(0, Math.max(kept + 1, 2)).join('.')}`;
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Object.entries(value).find(([key]) => key === name)?.[1] : undefined;

function wordsOf(error: unknown): string {
  const message = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
  return error instanceof RequirementError ? message : `it cannot be read: ${message}`;
}
