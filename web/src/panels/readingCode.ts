// A Python cell that reads a file, as most people would write it: the first line of a notebook that somebody brings data to.

const readers: Readonly<Record<string, (path: string) => string>> = {
  csv: (path) => `pd.read_csv(${path})`,
  tsv: (path) => `pd.read_csv(${path}, sep="\\t")`,
  json: (path) => `pd.read_json(${path})`,
  jsonl: (path) => `pd.read_json(${path}, lines=True)`,
  parquet: (path) => `pd.read_parquet(${path})`,
  xlsx: (path) => `pd.read_excel(${path})`,
};

const texts: ReadonlySet<string> = new Set(['txt', 'md', 'log', 'xml', 'html', 'yaml', 'yml', 'toml', 'sql', 'py']);

const keywords: ReadonlySet<string> = new Set(
  `False None True and as assert async await break class continue def del elif else except finally for from global if import
in is lambda nonlocal not or pass raise return try while with yield file pd`.split(/\s+/),
);

/** `taken`: names that cells of the notebook have given already. */
export function readingCode(path: string, taken: ReadonlySet<string>): string {
  const [, stem = '', ending = ''] = /([^/]*?)(?:\.([^./]*))?$/.exec(path) ?? [];
  const [kind, name, place] = [ending.toLowerCase(), freeName(stem, taken), JSON.stringify(path)];
  const reader = Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  if (reader) return `import pandas as pd\n${name} = ${reader(place)}\n${name}`;
  const how = texts.has(kind) ? 'encoding="utf-8"' : '"rb"';
  return `with open(${place}, ${how}) as file:\n    ${name} = file.read()`;
}

/** A name for what a file holds, which nothing else has. */
export function freeName(stem: string, taken: ReadonlySet<string>): string {
  const plain = stem
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '');
  const word = /^[a-z]/.test(plain) ? plain : `data${plain && `_${plain}`}`;
  const isFree = (name: string) => !taken.has(name) && !keywords.has(name);
  if (isFree(word)) return word;
  let number = 2;
  while (!isFree(`${word}_${number}`)) number += 1;
  return `${word}_${number}`;
}
