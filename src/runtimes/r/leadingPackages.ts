// The packages that an R cell attaches before it does anything else: whole lines that say `library(name)`, above all others.
const attaching = /^\s*library\(\s*(["']?)([A-Za-z][\w.]*)\1\s*\)\s*;?\s*(?:#.*)?$/;
const nothing = /^\s*(?:#.*)?$/;

export function leadingPackages(source: string): string[] {
  const found: string[] = [];
  for (const line of source.split('\n')) {
    const name = attaching.exec(line)?.[2];
    if (name !== undefined) found.push(name);
    else if (!nothing.test(line)) break;
  }
  return found;
}
