// What identifies an environment by its locks. The key of a lock is the same for notebooks that differ only in their own
// name; the hash for provenance follows only what cells can import, so that tools for tests never make results stale.
import { createHash } from 'node:crypto';
import { parse } from 'smol-toml';

type Json = unknown;
type Table = Record<string, Json>;

/** Sorted keys, everything beyond ASCII escaped: the same bytes in every language that does this. */
function canonicalJson(value: Json, [comma, colon]: readonly [string, string]): string {
  if (Array.isArray(value)) return `[${value.map((one: Json) => canonicalJson(one, [comma, colon])).join(comma)}]`;
  if (isTable(value)) {
    const members = Object.keys(value)
      .sort(byCodePoint)
      .map((key) => `${ascii(JSON.stringify(key))}${colon}${canonicalJson(value[key], [comma, colon])}`);
    return `{${members.join(comma)}}`;
  }
  return typeof value === 'bigint' ? String(value) : ascii(JSON.stringify(value));
}

const compact = [',', ':'] as const;
const spaced = [', ', ': '] as const;

const ascii = (text: string): string =>
  text.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

function byCodePoint(a: string, b: string): number {
  const [left, right] = [[...a], [...b]];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    const difference = (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

export interface Lock {
  readonly data: Table;
  readonly packages: readonly Table[];
  /** Names of the packages that are the notebook itself. */
  readonly roots: ReadonlySet<string>;
}

/** Throws when the text is not TOML. */
export function parseLock(text: string): Lock {
  const data: Table = parse(text, { integersAsBigInt: 'asNeeded' });
  const packages = Array.isArray(data.package) ? data.package.filter(isTable) : [];
  const roots = new Set(packages.filter(isRoot).map(({ name }) => String(name)));
  return { data, packages, roots };
}

function isRoot({ source }: Table): boolean {
  return isTable(source) && (source.virtual === '.' || source.editable === '.');
}

export const canonicalLock = (lock: Lock): string => canonicalJson(anonymous(lock), compact);

/** The key under which an environment of this lock can be shared. */
export const environmentKey = (lock: Lock): string => sha256(canonicalLock(lock)).digest('hex');

function anonymous({ data, packages, roots }: Lock): Table {
  const members = isTable(data.manifest) && Array.isArray(data.manifest.members) ? data.manifest.members : undefined;
  return {
    ...data,
    ...(data.package === undefined
      ? {}
      : {
          package: packages
            .map((one) => renamed(isRoot(one) ? withoutIdentity(one) : one, roots))
            .map((one) => ({ one, text: canonicalJson(one, spaced) }))
            .sort((a, b) => byCodePoint(a.text, b.text))
            .map(({ one }) => one),
        }),
    ...(members && isTable(data.manifest)
      ? { manifest: { ...data.manifest, members: members.map((name: Json) => placeholder(name, roots)).sort(byText) } }
      : {}),
  };
}

const withoutIdentity = ({ name, version, source, metadata, ...rest }: Table): Table => rest;

function renamed(value: Json, roots: ReadonlySet<string>): Json {
  if (Array.isArray(value)) return value.map((one: Json) => renamed(one, roots));
  if (!isTable(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, key === 'name' ? placeholder(one, roots) : renamed(one, roots)]),
  );
}

const placeholder = (name: Json, roots: ReadonlySet<string>): Json =>
  typeof name === 'string' && roots.has(name) ? '<project>' : name;

const byText = (a: Json, b: Json): number => byCodePoint(String(a), String(b));

/** Of what cells can import: the packages reachable from the notebook's own dependencies. */
export function runtimeFingerprint({ data, packages }: Lock): Buffer {
  const byName = Map.groupBy(packages, ({ name }) => String(name));
  const reached = new Set<string>();
  const due = packages.filter(isRoot).flatMap(({ dependencies }) => namesIn(dependencies));
  for (let name = due.pop(); name !== undefined; name = due.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    for (const one of byName.get(name) ?? []) {
      due.push(...namesIn(one.dependencies));
      const optional = one['optional-dependencies'];
      if (isTable(optional)) due.push(...Object.values(optional).flatMap(namesIn));
    }
  }
  const hash = createHash('sha256').update(`\0python=${data['requires-python'] ?? ''}`);
  for (const name of [...reached].sort(byCodePoint)) {
    const versions = (byName.get(name) ?? []).toSorted((a, b) => byText(a.version, b.version));
    for (const one of versions) {
      hash.update(`\0pkg=${name}@${one.version ?? ''}|source=${canonicalJson(one.source ?? {}, spaced)}`);
      for (const digest of digestsOf(one)) hash.update(`|${digest}`);
    }
  }
  return hash.digest();
}

const namesIn = (list: Json): string[] =>
  Array.isArray(list) ? list.filter(isTable).map(({ name }) => String(name)) : [];

function digestsOf({ sdist, wheels }: Table): string[] {
  const files = [sdist, ...(Array.isArray(wheels) ? wheels : [])].filter(isTable);
  return files.flatMap(({ hash }) => (typeof hash === 'string' ? [hash] : [])).sort(byCodePoint);
}

/** What of an environment enters the key of a result. Without locks it is the hash of nothing. */
export function lockfileHash(uvLock: Uint8Array | undefined, renvLock: Uint8Array | undefined): string {
  const hash = createHash('sha256');
  if (uvLock) addLock(hash, uvLock);
  if (renvLock) hash.update('\0renv=').update(renvLock);
  return hash.digest('hex');
}

function addLock(hash: ReturnType<typeof createHash>, bytes: Uint8Array): void {
  try {
    const lock = parseLock(Buffer.from(bytes).toString('utf8'));
    if (lock.roots.size > 0) hash.update('\0uv-runtime=').update(runtimeFingerprint(lock));
    else hash.update(`\0uv-lock=${environmentKey(lock)}`);
  } catch {
    hash.update(bytes);
  }
}

/** The key of an R library: the bytes of its lock. */
export const renvLockKey = (bytes: Uint8Array): string => sha256(bytes).digest('hex');

/** The folder of an environment: its lock and the very interpreter that it was built with. */
export const environmentFolder = (key: string, build: string): string =>
  sha256(`${key}\n${build}`).digest('hex').slice(0, 32);

const sha256 = (content: string | Uint8Array): ReturnType<typeof createHash> => createHash('sha256').update(content);

const isTable = (value: Json): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
