// Interpreters that wait with modules loaded which no zygote may hold: as many as their room allows, and only while they are used.
import type { KnownModules } from './knownModules.ts';
import type { Zygote } from './zygote.ts';

export interface Spares {
  /** From now on these modules wait, beside this zygote. */
  keep(zygote: Zygote, wanted: readonly string[], modules: KnownModules): void;
  /** Another zygote knows of none. */
  forget(): void;
  close(): void;
}

export interface SpareOptions {
  /** What waiting interpreters may take together. */
  readonly spareBytes: number;
  readonly spareIdleMs: number;
}

export function createSpares(
  { spareBytes, spareIdleMs }: SpareOptions,
  isCurrent: (zygote: Zygote) => boolean,
): Spares {
  let idle: NodeJS.Timeout | undefined;
  /** What was last asked for. */
  let kept = '';
  return {
    keep(zygote, wanted, modules) {
      const size = modules.bytesOf(wanted);
      const places = size > spareBytes ? 0 : size * 2 > spareBytes ? 1 : 2;
      const asked = JSON.stringify([wanted, places]);
      if (asked !== kept) zygote.keepSpares(wanted, places);
      kept = asked;
      clearTimeout(idle);
      idle = setTimeout(() => {
        if (isCurrent(zygote)) zygote.keepSpares(wanted, 0);
        kept = '';
      }, spareIdleMs).unref();
    },
    forget() {
      kept = '';
    },
    close: () => clearTimeout(idle),
  };
}
