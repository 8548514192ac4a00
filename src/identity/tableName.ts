// The name under which access rules know a table, read from the address that a request gives. White space around the parts
// of an address is no part of a name: what is checked is what is read.
export interface TableName {
  /** `<prefix>:<namespace>.<table>`; undefined when the address names no table, which nobody may read. */
  readonly reference: string | undefined;
  /** Other names of the same table, where one catalog serves several prefixes. */
  readonly aliases?: readonly string[];
}

export interface Catalogs {
  /** Catalogs that addresses of the form `name:namespace.table` may mean. */
  readonly named: ReadonlySet<string>;
  /** One catalog serves every warehouse, so each table goes by all prefixes. */
  readonly shared: boolean;
}

const prefixes = ['file', 's3', 'gs', 'az'] as const;

const schemes: Readonly<Record<string, (typeof prefixes)[number]>> = {
  s3: 's3',
  s3a: 's3',
  s3n: 's3',
  gs: 'gs',
  gcs: 'gs',
  abfs: 'az',
  abfss: 'az',
  az: 'az',
  azure: 'az',
  wasb: 'az',
  wasbs: 'az',
};

export function tableNameOf(uri: string, { named, shared }: Catalogs): TableName {
  const at = uri.lastIndexOf('#');
  if (at >= 0) {
    const scheme = /^\s*([a-z0-9+.-]+):\/\//i.exec(uri)?.[1]?.toLowerCase() ?? '';
    return nameIn(schemes[scheme] ?? 'file', uri.slice(at + 1), shared);
  }
  const [, catalog, rest] = /^\s*([A-Za-z][A-Za-z0-9_-]*)\s*:(?!\/\/)(.+)$/s.exec(uri) ?? [];
  if (catalog !== undefined && rest !== undefined && named.has(catalog)) return nameIn(catalog, rest, false);
  return nameIn('file', uri, shared);
}

/** A table is named by exactly two parts. */
function nameIn(prefix: string, table: string, shared: boolean): TableName {
  const parts = table.split('.').map((part) => part.trim());
  if (parts.length !== 2 || parts.some((part) => part === '' || part.includes('/'))) return { reference: undefined };
  const id = parts.join('.');
  const reference = `${prefix}:${id}`;
  return shared ? { reference, aliases: prefixes.map((other) => `${other}:${id}`) } : { reference };
}
