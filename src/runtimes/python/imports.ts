// Which modules a source names in its import statements, without a parser: whoever loads them ahead finds out whether they
// are there. `from a import b` may mean the module `a.b` or a name in `a`; both are given. So is what is known to be
// imported later.

const statement =
  /^[ \t]*(?:import[ \t]+([^#\n;]+)|from[ \t]+(\.*[\w.]*)[ \t]+import[ \t]+(?:\(([^)]{0,2000})\)|([^#\n;]+)))/gm;

/** What packages import when a part of them is first used. No statement names it, and it can take as long as the package did. */
const importedAtUse: readonly { readonly part: string; readonly used: RegExp; readonly module: string }[] = [
  { part: 'torch.optim', used: /\btorch\.optim\b/, module: 'torch._dynamo' },
];

/** Whoever writes more has generated the source: what it imports is learned when it runs. */
const MOST_STATEMENTS = 1000;

export function importedModules(source: string): string[] {
  const found = new Set<string>();
  let count = 0;
  for (const [, plain, from, inParentheses, onLine] of source.matchAll(statement)) {
    count += 1;
    if (count > MOST_STATEMENTS) break;
    if (plain !== undefined) {
      for (const name of namesIn(plain)) found.add(name);
    } else if (from !== undefined && !from.startsWith('.')) {
      found.add(from);
      for (const name of namesIn(inParentheses ?? onLine ?? '')) found.add(`${from}.${name}`);
    }
  }
  for (const { part, used, module } of importedAtUse) if (found.has(part) || used.test(source)) found.add(module);
  return [...found];
}

export const rootOf = (module: string): string => module.split('.', 1)[0] ?? module;

function namesIn(list: string): string[] {
  return list
    .split('\n')
    .map((line) => line.replace(/#.*/, ''))
    .join(' ')
    .split(',')
    .map((part) => part.trim().split(/\s+/, 1)[0] ?? '')
    .filter((name) => /^[A-Za-z_][\w.]*$/.test(name));
}

/** A source as a notebook holds it; the same object as long as it is not edited. */
export interface SourceText {
  readonly language?: string | undefined;
  readonly source: string;
}

/** What all Python cells name. Only cells that were edited since are read. */
export function createImportReader(): (cells: readonly SourceText[]) => readonly string[] {
  const known = new WeakMap<SourceText, readonly string[]>();
  let last: readonly SourceText[] = [];
  let found: readonly string[] = [];

  function namedBy(cell: SourceText): readonly string[] {
    if ((cell.language ?? 'python') !== 'python') return [];
    const names = known.get(cell) ?? importedModules(cell.source);
    known.set(cell, names);
    return names;
  }

  return (cells) => {
    if (cells !== last) found = [...new Set(cells.flatMap(namedBy))];
    last = cells;
    return found;
  };
}
