// Addresses of the app: `#/`, `#/notebook/<session>`, `#/app/<session>[?embed=1][&theme=dark]`, `#/logs`, `#/artifacts`, `#/registry`, `#/health`. Those of a notebook carry its
// path too: a session is one person's and ends with its server, the path leads everybody to the notebook.
import { useSyncExternalStore } from 'react';

export type Route =
  | { readonly page: 'home' | 'logs' | 'artifacts' | 'registry' | 'health' | 'unknown' }
  | { readonly page: 'notebook'; readonly sessionId: string }
  | { readonly page: 'app'; readonly sessionId: string; readonly isEmbedded: boolean };

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page, id] = path.split('/').map(decodeURIComponent);
  if (page === '' || page === undefined) return { page: 'home' };
  if (page === 'notebook' && id) return { page, sessionId: id };
  if (page === 'app' && id) return { page, sessionId: id, isEmbedded: new URLSearchParams(query).get('embed') === '1' };
  if (page === 'logs' || page === 'artifacts' || page === 'registry' || page === 'health') return { page };
  return { page: 'unknown' };
}

export const notebookHash = (sessionId: string): string => `#/notebook/${encodeURIComponent(sessionId)}`;
export const appHash = (sessionId: string): string => `#/app/${encodeURIComponent(sessionId)}`;

/** The same address, which also says where the notebook lies. */
export function withPath(hash: string, path: string): string {
  const [place = '', query = ''] = hash.split('?');
  const words = new URLSearchParams(query);
  words.set('path', path);
  return `${place}?${words}`;
}

export const pathIn = (hash: string): string | undefined =>
  new URLSearchParams(hash.split('?')[1] ?? '').get('path') ?? undefined;

/** Another address that is asked for in the same way: embedded, with the same theme. */
export const inTheSameWay = (hash: string): string => {
  const [, query] = window.location.hash.split('?');
  return query === undefined ? hash : `${hash}?${query}`;
};

/** Writes the path into the address of this page, which stays the same page. */
export function keepPath(path: string): void {
  const { hash } = window.location;
  if (pathIn(hash) !== path) window.history.replaceState(window.history.state, '', withPath(hash, path));
}

export const go = (hash: string): void => {
  window.location.hash = hash;
};

/** The same page under another address; going back does not come here again. */
export const goInstead = (hash: string): void => window.location.replace(hash);

const subscribe = (watcher: () => void): (() => void) => {
  window.addEventListener('hashchange', watcher);
  return () => window.removeEventListener('hashchange', watcher);
};

let last: { readonly hash: string; readonly route: Route } | undefined;

function current(): Route {
  const { hash } = window.location;
  if (last?.hash !== hash) last = { hash, route: readRoute(hash) };
  return last.route;
}

export const useRoute = (): Route => useSyncExternalStore(subscribe, current);
