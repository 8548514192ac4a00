// Where a project file or a lock says that packages come from, beside the indexes of this machine. On a shared server whoever writes
// one could have uv ask any address, or read any folder, as the server.
import { parse } from 'smol-toml';
import { parseLock } from './lockKey.ts';
import { uvIndexes } from './uvIndexes.ts';

type Table = Readonly<Record<string, unknown>>;

/** What uv may be told about versions; all else leads it somewhere. */
const harmless = new Set([
  'conflicts',
  'constraint-dependencies',
  'default-groups',
  'dev-dependencies',
  'environments',
  'exclude-newer',
  'exclude-newer-package',
  'fork-strategy',
  'managed',
  'override-dependencies',
  'package',
  'prerelease',
  'required-environments',
  'required-version',
  'resolution',
]);

/** What names a place in a project file, in its own words; undefined where nothing does. */
export function foreignInProject(text: string): string | undefined {
  const { project, tool, 'dependency-groups': groups } = parse(text);
  const uv = tableOf(tableOf(tool).uv);
  const key = Object.keys(uv).find((one) => !harmless.has(one));
  if (key !== undefined) return `${key} under [tool.uv]`;
  const { dependencies, 'optional-dependencies': optional } = tableOf(project);
  const { 'dev-dependencies': dev, 'constraint-dependencies': constraints, 'override-dependencies': overrides } = uv;
  const lists = [dependencies, ...Object.values(tableOf(optional)), ...Object.values(tableOf(groups))];
  const addressed = textsIn([...lists, dev, constraints, overrides]).find((one) => /^[^;]*@/.test(one));
  return addressed && `${addressed.slice(0, addressed.indexOf('@')).trim().slice(0, 80)} @ …`;
}

/** Whether uv would ask another host for a lock's files than those of this machine's indexes, or take them from a folder. */
export async function isForeignLock(text: string): Promise<boolean> {
  const indexes = (await uvIndexes()).map(({ url }) => new URL(url).host);
  const hosts = new Set([...indexes, ...(indexes.includes('pypi.org') ? ['files.pythonhosted.org'] : [])]);
  const isOurs = (url: unknown): boolean => typeof url === 'string' && hosts.has(URL.parse(url)?.host ?? '');
  try {
    return parseLock(text).packages.some(({ source, sdist, wheels }) => {
      const { registry, virtual, editable } = tableOf(source);
      if (registry === undefined) return virtual !== '.' && editable !== '.';
      const files = [...(sdist === undefined ? [] : [sdist]), ...(Array.isArray(wheels) ? wheels : [])];
      return !isOurs(registry) || !files.every((file) => isOurs(tableOf(file).url));
    });
  } catch {
    return true;
  }
}

const tableOf = (value: unknown): Table => (typeof value === 'object' && value !== null ? { ...value } : {});

const textsIn = (lists: readonly unknown[]): string[] =>
  lists.flatMap((list) => (Array.isArray(list) ? list : [])).filter((one) => typeof one === 'string');
