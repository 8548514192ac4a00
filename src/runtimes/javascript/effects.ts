// What a JavaScript cell touched. Files below its folder are seen by the kernel, modules, hosts and programs by its process; the
// rest is read from its text.
import { type Effects, noEffects } from '../effects.ts';

export interface JavaScriptSeen {
  readonly opened: readonly string[];
  readonly changed: readonly string[];
  readonly isWhole: boolean;
  readonly hosts: readonly string[];
  readonly programs: readonly string[];
  /** Modules and packages that it loaded. */
  readonly files: readonly string[];
}

const clock = /\bDate\.now\s*\(|\bnew\s+Date\s*(?:\(\s*\)|[;\n])|\bTemporal\.Now\b|\bperformance\.now\s*\(/;
const entropy = /\bMath\.random\s*\(|\b(?:randomUUID|getRandomValues|randomBytes|randomInt)\s*\(/;
const variable = /\bprocess\.env(?:\.(?<dotted>\w+)|\[\s*['"](?<quoted>\w+)['"]\s*\])/g;

export function javascriptEffects(source: string, seen: JavaScriptSeen): Effects {
  const written = new Set(seen.changed);
  const code = source.replace(/^[ \t]*(?:#|\/\/).*$/gm, '');
  const read = [...new Set([...seen.opened, ...seen.files])].filter((path) => !written.has(path)).sort();
  return {
    ...noEffects,
    read: read.map((path) => ({ path, identity: null })),
    written: seen.changed,
    unwatched: seen.isWhole ? 0 : 1,
    hosts: seen.hosts,
    programs: seen.programs,
    variables: [
      ...new Set([...code.matchAll(variable)].flatMap(({ groups }) => groups?.dotted ?? groups?.quoted ?? [])),
    ].sort(),
    clock: clock.test(code),
    entropy: entropy.test(code),
  };
}
