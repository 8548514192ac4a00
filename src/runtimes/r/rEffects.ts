// What an R cell touched. Files are seen by the kernel; the rest is read from its text, since R tells nobody what it does.
import { type Effects, noEffects } from '../effects.ts';

export interface RSeen {
  readonly opened: readonly string[];
  readonly changed: readonly string[];
  readonly isWhole: boolean;
  /** It drew random numbers. */
  readonly drew: boolean;
}

const clock = /\bSys\.(?:time|Date)\s*\(|\bdate\s*\(\s*\)/;
const seed = /\bset\.seed\s*\(/;
const program = /\b(?:system2?|shell|pipe)\s*\(\s*(?:command\s*=\s*)?["'](?<name>[^\s"']+)/g;
const host = /\b(?:https?|ftp):\/\/(?<name>[^\s/"'?#:]+)/g;
const variable = /\bSys\.getenv\s*\(\s*["'](?<name>\w+)["']/g;

export function rEffects(source: string, { opened, changed, isWhole, drew }: RSeen): Effects {
  const written = new Set(changed);
  const code = source.replace(/^[ \t]*#.*$/gm, '');
  return {
    ...noEffects,
    read: opened.filter((path) => !written.has(path)).map((path) => ({ path, identity: null })),
    written: changed,
    unwatched: isWhole ? 0 : 1,
    hosts: named(code, host),
    programs: named(code, program),
    variables: named(code, variable),
    clock: clock.test(code),
    entropy: drew && !seed.test(code),
  };
}

const named = (code: string, pattern: RegExp): string[] =>
  [...new Set([...code.matchAll(pattern)].flatMap(({ groups }) => groups?.name ?? []))].sort();
