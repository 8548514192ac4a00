// Names bound by top-level imports of a Python source, read from its text.

/** A close reading, not a parse: a line in a string that looks like an import counts as one. */
export function importedNames(source: string): string[] {
  const joined = source.replace(/\\\r?\n/g, ' ');
  const names = new Set<string>();
  for (const [, plain] of joined.matchAll(/^import[ \t]+([^\r\n#;]+)/gm)) {
    for (const part of (plain ?? '').split(',')) addName(names, part, true);
  }
  for (const [, grouped, plain] of joined.matchAll(
    /^from[ \t]+[\w.]+[ \t]+import[ \t]*(?:\(([^)]*)\)|([^\r\n#;]+))/gm,
  )) {
    for (const part of (grouped?.replace(/#.*$/gm, '') ?? plain ?? '').split(',')) addName(names, part, false);
  }
  return [...names].sort();
}

/** `a.b as c` binds c; `import a.b` binds a. */
function addName(names: Set<string>, part: string, isModule: boolean): void {
  const [path = '', word, alias] = part.trim().split(/\s+/);
  const name = word === 'as' ? (alias ?? '') : isModule ? (path.split('.')[0] ?? '') : path;
  if (name !== '' && name !== '*') names.add(name);
}
