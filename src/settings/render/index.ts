// The settings as text: for people, for programs, and for the documentation.

import type { LoadedSettings } from '../load.ts';
import { renderHuman } from './human.ts';
import { renderJson } from './json.ts';
import { renderMarkdown } from './markdown.ts';

export type SettingsFormat = 'human' | 'json' | 'markdown';

/** `current` adds values in force and where they come from, secrets replaced; the documentation never holds any. */
export function renderSettings(format: SettingsFormat, current?: LoadedSettings): string {
  switch (format) {
    case 'human':
      return renderHuman(current);
    case 'json':
      return renderJson(current);
    case 'markdown':
      return renderMarkdown();
  }
}
