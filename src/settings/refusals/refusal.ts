// A refusal is a rule over a few settings that must hold before the server starts. It names what it reads, sees nothing
// else, and answers with problems in the operator's words. Pure: no files, no network, no clock.

import type { SettingKey, Settings } from '../table.ts';

export interface StartupRefusal {
  readonly reads: readonly SettingKey[];
  readonly check: (settings: Settings) => readonly string[];
}

/** `problems` may be one, several, or null for none. */
export function refusal<const K extends readonly SettingKey[]>(
  reads: K,
  problems: (settings: Pick<Settings, K[number]>) => string | readonly string[] | null,
): StartupRefusal {
  return {
    reads,
    check: (settings) => {
      const found = problems(settings);
      if (found === null) return [];
      return typeof found === 'string' ? [found] : found;
    },
  };
}
