// Addresses of the app: `#/`, `#/notebook/<session>`, `#/app/<session>[?embed=1]`, `#/logs`, `#/artifacts`.
import { useSyncExternalStore } from 'react';

export type Route =
  | { readonly page: 'home' | 'logs' | 'artifacts' | 'unknown' }
  | { readonly page: 'notebook'; readonly sessionId: string }
  | { readonly page: 'app'; readonly sessionId: string; readonly isEmbedded: boolean };

export function readRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?');
  const [page, id] = path.split('/').map(decodeURIComponent);
  if (page === '' || page === undefined) return { page: 'home' };
  if (page === 'notebook' && id) return { page, sessionId: id };
  if (page === 'app' && id) return { page, sessionId: id, isEmbedded: new URLSearchParams(query).get('embed') === '1' };
  if (page === 'logs' || page === 'artifacts') return { page };
  return { page: 'unknown' };
}

export const notebookHash = (sessionId: string): string => `#/notebook/${encodeURIComponent(sessionId)}`;
export const appHash = (sessionId: string): string => `#/app/${encodeURIComponent(sessionId)}`;

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
