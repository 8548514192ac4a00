// Which paths there are, whatever the method: who asks for one of them in another way is told so, and which ways there are.
import type { App } from './services.ts';

/** The methods that a path may be asked for with; empty for one that is not there. */
export type KnownPaths = (path: string) => readonly string[];

/** Learns of every route that is added after it. */
export function watchPaths(app: App): KnownPaths {
  const methods = new Map<string, Set<string>>();
  let patterns: readonly { readonly pattern: RegExp; readonly methods: ReadonlySet<string> }[] | undefined;
  app.addHook('onRoute', ({ url, method }) => {
    const known = methods.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methods.set(url, known);
    patterns = undefined;
  });
  return (path) => {
    patterns ??= [...methods].map(([url, known]) => ({ pattern: patternOf(url), methods: known }));
    return [...new Set(patterns.flatMap((one) => (one.pattern.test(path) ? [...one.methods] : [])))].sort();
  };
}

/** A template of the router: `:name` stands for a part of the path, `*` for the rest of it. */
const patternOf = (url: string): RegExp =>
  new RegExp(
    `^${url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replace(/\*/g, '.*')}$`,
  );
