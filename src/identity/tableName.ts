// The names under which access rules know the table of an address.
import type { TableAddress } from '../tableAddress.ts';

export interface TableName {
  /** `<prefix>:<namespace>.<table>`. */
  readonly reference: string;
  /** Other names of the same table, where one catalog serves several prefixes. */
  readonly aliases?: readonly string[];
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

/** `shared`: one catalog serves every warehouse, so each table goes by all prefixes. */
export function tableNameOf({ warehouse, catalog, namespace, table }: TableAddress, shared: boolean): TableName {
  const id = `${namespace}.${table}`;
  if (catalog !== null) return { reference: `${catalog}:${id}` };
  const scheme = /^([a-z0-9+.-]+):\/\//i.exec(warehouse ?? '')?.[1]?.toLowerCase() ?? '';
  const reference = `${schemes[scheme] ?? 'file'}:${id}`;
  return shared ? { reference, aliases: prefixes.map((other) => `${other}:${id}`) } : { reference };
}
