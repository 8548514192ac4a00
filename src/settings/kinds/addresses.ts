// Kinds that point somewhere: files, URLs, hosts, header names, path prefixes. Their readers settle the spellings that
// would otherwise fail much later (a trailing slash, a scheme in a host name), so that consumers compare plain strings.

import { isIPv6 } from 'node:net';
import { isAbsolute, join, resolve } from 'node:path';
import { accept, type Kind, type Places, type Reading, refuse, refuseWhole, textual } from './kind.ts';

export function expandPath(path: string, { home, cwd }: Places): string {
  if (path === '~') return home;
  if (path.startsWith('~/')) return join(home, path.slice(2));
  return isAbsolute(path) ? path : resolve(cwd, path);
}

export function path(): Kind<string> {
  return {
    ...textual('path', (value) => {
      if (value === '') return refuseWhole('is empty');
      if (value.includes('\0')) return refuseWhole('holds a NUL byte');
      return accept(value);
    }),
    settle: expandPath,
  };
}

/** A credentials document: its JSON as it stands, or the path of a file that holds it. */
export function pathOrJson(): Kind<string> {
  const isDocument = (value: string) => value.startsWith('{');
  return {
    ...textual('path or JSON object', (value) => {
      if (value === '') return refuseWhole('is empty');
      if (isDocument(value) && !parsesAsJson(value)) return refuseWhole('starts like a JSON object but is not one');
      return accept(value);
    }),
    settle: (value, places) => (isDocument(value) ? value : expandPath(value, places)),
  };
}

function parsesAsJson(value: string): boolean {
  try {
    JSON.parse(value);
    return true;
  } catch {
    return false;
  }
}

/** An absolute http or https URL, kept as written but for slashes at its end. */
export function url(): Kind<string> {
  return textual('http(s) URL', (value) => {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    const isHttp = parsed?.protocol === 'http:' || parsed?.protocol === 'https:';
    if (parsed === null || !isHttp) return refuse(value, 'is not a URL that starts with http:// or https://');
    if (parsed.search !== '' || parsed.hash !== '')
      return refuse(value, 'has a query or a fragment; give the bare URL');
    return accept(value.replace(/\/+$/, ''));
  });
}

/** The host may stand in the query instead, as it does for a socket in a folder: `postgresql://u@/db?host=/run/pg`. */
export function postgresUrl(): Kind<string> {
  return textual('postgresql:// URL', (value) =>
    value.startsWith('postgresql://') && URL.canParse(value.replace('@/', '@host/'))
      ? accept(value)
      : refuseWhole('is not a URL that starts with postgresql://'),
  );
}

/** Any URL with a scheme: catalog databases have many (`postgresql+psycopg2:`, `sqlite:`, `thrift:`, `https:`). */
export function databaseUrl(): Kind<string> {
  return textual('URL', (value) =>
    /^[a-z][a-z0-9+.-]*:/i.test(value) ? accept(value) : refuseWhole('is not a URL with a scheme'),
  );
}

const HOST_NAME = /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i;

/** An address to listen on. */
export function host(): Kind<string> {
  return textual('host name or address', (value) => {
    const bare = value.replace(/^\[(.*)\]$/, '$1');
    return HOST_NAME.test(bare) || isIPv6(bare)
      ? accept(bare)
      : refuse(value, 'is not a host name or an IP address (no scheme, port or path)');
  });
}

/** What is wrong with one entry of a list of hosts (`name`, `.suffix` or `*`); null when nothing is. */
export function hostPatternFlaw(entry: string): string | null {
  if (entry === '*' || isIPv6(entry)) return null;
  return HOST_NAME.test(entry.replace(/^\./, ''))
    ? null
    : 'is not a host name (no scheme, port or path; a leading dot matches every name below it)';
}

/** A browser origin: scheme, host and maybe a port, which is what an `Origin` header holds. */
export function originFlaw(entry: string): string | null {
  if (entry === '*') return null;
  const parsed = URL.canParse(entry) ? new URL(entry) : null;
  if (parsed === null || parsed.host === '') return 'is not an origin such as https://app.example';
  const origin = `${parsed.protocol}//${parsed.host}`;
  return origin === entry ? null : `is not an origin; write ${origin}`;
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;

export function headerName(): Kind<string> {
  return textual('header name', (value) =>
    HEADER_NAME.test(value) ? accept(value) : refuse(value, 'is not an HTTP header name'),
  );
}

/** The path a proxy serves under, as `/prefix` without a slash at its end; the root is empty. */
export function basePath(): Kind<string> {
  return textual('URL path', (value): Reading<string> => {
    const parts = value.split('/').filter((part) => part !== '');
    const isPlain = parts.every((part) => /^[\w.~%-]+$/.test(part) && part !== '.' && part !== '..');
    if (!isPlain) return refuse(value, 'is not a URL path such as /svc');
    return accept(parts.map((part) => `/${part}`).join(''));
  });
}
