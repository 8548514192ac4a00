// Lists of packages that others made: `requirements.txt` with plain specifiers, and conda's `environment.yaml` as far as it
// can be said to uv. What is left out of the latter is named.
import { canonicalName, parseRequirement, type Requirement, RequirementError } from './requirement.ts';

export interface ImportedList {
  readonly requirements: readonly Requirement[];
  readonly warnings: readonly string[];
}

interface Lines {
  readonly lines: readonly string[];
  readonly warnings: readonly string[];
}

/** Longer files are refused. */
export const maxImportCharacters = 500_000;
/** More commas, brackets and lines than any list of packages has: reading them would keep everybody waiting. */
const maxYamlMarks = 10_000;

export function readRequirements(text: string): ImportedList {
  const lines = requirementLines(text);
  for (const line of lines) {
    if (line.startsWith('-'))
      throw new RequirementError('Unsupported requirements entry. Use plain package specifiers only.');
  }
  return { requirements: checked(lines), warnings: [] };
}

/** What can be taken of a list that was written for another tool; what cannot is named. */
export const takeRequirements = (text: string): ImportedList => taken(linesForPip(text));

/** Conditions and digests are pip's too; options, other files and folders are only named. */
export function linesForPip(text: string): Lines {
  // Digests stand on lines of their own, after a backslash.
  const lines = requirementLines(text.replace(/\\\r?\n/g, ' ')).map((line) => line.replace(/\s--hash=.*$/, ''));
  return { lines: lines.filter((line) => !isOption(line)), warnings: lines.filter(isOption).map(notFollowed) };
}

const isOption = (line: string): boolean => line.startsWith('-');
const notFollowed = (line: string): string => `the line ${JSON.stringify(line.slice(0, 80))} was not followed`;

/** The same of a file of conda. */
export async function takeEnvironmentYaml(text: string): Promise<ImportedList> {
  const { lines, warnings } = await environmentLines(text);
  // Its pip section may hold options too.
  const options = lines.filter(isOption).map(notFollowed);
  return taken({ lines: lines.filter((line) => !isOption(line)), warnings: [...warnings, ...options] });
}

function taken({ lines, warnings }: Lines): ImportedList {
  const requirements: Requirement[] = [];
  const texts = new Set<string>();
  const named = new Map<string, Requirement>();
  const left = [...warnings];
  for (const line of lines)
    try {
      const requirement = parseRequirement(line);
      if (texts.has(requirement.text)) continue;
      const other = named.get(requirement.name);
      // Under conditions both may stand: each for its own Python.
      const isOne = other !== undefined && !(other.text.includes(';') && requirement.text.includes(';'));
      if (isOne) {
        left.push(`${requirement.text} is left out: ${other.text} stands before it`);
        continue;
      }
      requirements.push(requirement);
      texts.add(requirement.text);
      if (other === undefined) named.set(requirement.name, requirement);
    } catch (error) {
      if (!(error instanceof RequirementError)) throw error;
      left.push(error.message);
    }
  return { requirements, warnings: left };
}

/** Without comments. */
export const requirementLines = (text: string): string[] =>
  text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.replace(/\s#.*$/s, '').trim());

export async function readEnvironmentYaml(text: string): Promise<ImportedList> {
  const { lines, warnings } = await environmentLines(text);
  return { requirements: checked(lines), warnings };
}

/** What it asks for, in the words of the Python index. The parser is loaded when a file is given. */
export async function environmentLines(text: string): Promise<{ lines: string[]; warnings: string[] }> {
  const { parse } = await import('yaml');
  const value: unknown = parseWith(parse, text);
  if (!isMapping(value))
    throw new RequirementError('environment.yaml must hold a mapping with a list of dependencies.');
  const { dependencies, channels } = value;
  if (!Array.isArray(dependencies)) throw new RequirementError('environment.yaml must have a list named dependencies.');
  const warnings: string[] =
    channels === undefined ? [] : ['channels are ignored: packages come from the Python index'];
  return { lines: dependencies.flatMap((entry: unknown) => linesOf(entry, warnings)), warnings };
}

type ParseYaml = (text: string, options: { maxAliasCount: number; logLevel: 'error' }) => unknown;

function parseWith(parse: ParseYaml, text: string): unknown {
  if ((text.match(/[\n,[{]/g)?.length ?? 0) > maxYamlMarks)
    throw new RequirementError('environment.yaml is too long: list only the packages that the notebook imports.');
  try {
    return parse(text, { maxAliasCount: 100, logLevel: 'error' });
  } catch (error) {
    throw new RequirementError(`environment.yaml cannot be read: ${error instanceof Error ? error.message : error}`);
  }
}

function linesOf(entry: unknown, warnings: string[]): string[] {
  if (typeof entry === 'string') return condaLine(entry.trim(), warnings);
  if (isMapping(entry) && Array.isArray(entry.pip)) {
    const strings = entry.pip.filter((one: unknown): one is string => typeof one === 'string');
    if (strings.length < entry.pip.length) warnings.push('entries of pip that are no text are ignored');
    return strings.map((line) => line.trim());
  }
  warnings.push(`an entry that is no package is ignored: ${JSON.stringify(entry)?.slice(0, 80)}`);
  return [];
}

function condaLine(entry: string, warnings: string[]): string[] {
  const [, channel, rest = entry] = /^([^:\s]+)::(.*)$/s.exec(entry) ?? [];
  if (channel !== undefined) warnings.push(`the channel of ${rest} is ignored: ${channel}`);
  const [name = ''] = /^[A-Za-z0-9._-]+/.exec(rest) ?? [];
  if (canonicalName(name) === 'python' || canonicalName(name) === 'pip') {
    warnings.push(`${rest} is ignored: ${name === 'pip' ? 'uv installs' : 'the notebook has its own Python version'}`);
    return [];
  }
  const pinned = /^([A-Za-z0-9._-]+)\s*=(?!=)\s*([^=\s]+)(=\S+)?$/.exec(rest);
  if (!pinned) return [rest];
  const [, pinnedName, version, build] = pinned;
  if (build === undefined) return [`${pinnedName}==${version}`];
  warnings.push(`${rest} is ignored: a build of conda is not a version of the Python index`);
  return [];
}

function checked(lines: readonly string[]): Requirement[] {
  const seen = new Set<string>();
  return lines.map((line) => {
    const requirement = read(line);
    if (seen.has(requirement.name)) throw new RequirementError(`Duplicate requirement: ${requirement.name}`);
    seen.add(requirement.name);
    return requirement;
  });
}

function read(line: string): Requirement {
  try {
    return parseRequirement(line, { markers: false, addresses: false });
  } catch (error) {
    throw error instanceof RequirementError ? new RequirementError(`Invalid requirement: ${error.message}`) : error;
  }
}

const isMapping = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
