// How a request names a table: a warehouse and a table in it (`/wh#ns.t`, `s3://bucket/wh#ns.t`), a table of a named
// catalog (`cat:ns.t`), or one of the default catalog (`ns.t`). White space around the parts is no part of a name. Read once, by whoever
// checks access; whoever reads or writes the table takes what was checked.
import { refusals } from './errors/index.ts';

export interface TableAddress {
  /** As it was sent. */
  readonly uri: string;
  /** A folder or an object-store URL; null where a catalog knows the place. */
  readonly warehouse: string | null;
  /** The named catalog; null for the default one. */
  readonly catalog: string | null;
  readonly namespace: string;
  readonly table: string;
}

export function parseTableAddress(uri: string, namedCatalogs: ReadonlySet<string>): TableAddress {
  const at = uri.lastIndexOf('#');
  if (at >= 0) {
    const warehouse = withoutFileScheme(uri.slice(0, at).trim());
    if (warehouse === '') throw refusals.tableAddressInvalid(uri);
    return { uri, warehouse, catalog: null, ...namesIn(uri.slice(at + 1)) };
  }
  const [, catalog, rest] = /^\s*([A-Za-z][A-Za-z0-9_-]*)\s*:(?!\/\/)(.+)$/s.exec(uri) ?? [];
  if (catalog !== undefined && rest !== undefined && namedCatalogs.has(catalog))
    return { uri, warehouse: null, catalog, ...namesIn(rest) };
  return { uri, warehouse: null, catalog: null, ...namesIn(uri) };
}

function namesIn(text: string): { namespace: string; table: string } {
  const [namespace, table, ...more] = text.split('.').map((part) => part.trim());
  const usable = (part: string | undefined): part is string => part !== undefined && part !== '' && !/[/\0]/.test(part);
  if (!usable(namespace) || !usable(table) || more.length > 0) throw refusals.tableAddressInvalid(text.trim());
  return { namespace, table };
}

const withoutFileScheme = (place: string): string =>
  /^file:\/\//i.test(place) ? decoded(place.slice('file://'.length)) : place;

/** A file URL may hold percent escapes; a broken one is a plain path. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

export const isObjectStore = (warehouse: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(warehouse);
