// Which package to install when a module is missing.
import { packageOf } from '../packageOfModule.ts';
import type { SuggestedInstall } from './runtime.ts';

/** Looks at what a failed cell said. The last module named is the one that stopped it. `absent`: modules that it would miss next. */
export function suggestPythonInstall(
  texts: readonly string[],
  absent: readonly string[] = [],
): SuggestedInstall | null {
  for (const text of texts) {
    const found = [...text.matchAll(/No module named '([\w.]+)'/g)].at(-1)?.[1]?.split('.')[0];
    if (found === undefined) continue;
    const also = [...new Set(absent.map(packageOf))].filter((name) => name !== packageOf(found));
    return { package: packageOf(found), language: 'python', ...(also.length === 0 ? {} : { also }) };
  }
  return null;
}
