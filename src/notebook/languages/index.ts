// The door of the languages: one for each kind of cell.

import { type JavaScriptLanguageParts, javascriptLanguage } from './javascript.ts';
import type { Languages } from './language.ts';
import { markdownLanguage } from './markdown.ts';
import { type PromptParts, promptLanguage } from './prompt.ts';
import { type PythonParts, pythonLanguage } from './python.ts';
import { type RParts, rLanguage } from './r.ts';
import { type SqlParts, sqlLanguage } from './sql.ts';
import { widgetLanguage } from './widget.ts';

export type { JavaScriptLanguageParts } from './javascript.ts';
export {
  type Brought,
  CellRefused,
  type CellRuntime,
  type CellWork,
  type FarInput,
  type Lane,
  type Language,
  type Languages,
  type Meaning,
  type OutsideLook,
  type Weight,
} from './language.ts';
export type { PromptParts } from './prompt.ts';
export type { RParts } from './r.ts';
export { type RemoteCells, type RemoteParts, remoteCells } from './remote.ts';
export { type Rename, renamedIn } from './renames.ts';
export type { SqlParts } from './sql.ts';
export { openSqlSnapshots } from './sqlSnapshots.ts';
export { coerced, effective, type WidgetValues } from './widgetValues.ts';

export interface LanguageParts {
  readonly python: PythonParts;
  readonly prompt: PromptParts;
  readonly r: RParts;
  readonly javascript: JavaScriptLanguageParts;
  readonly sql: SqlParts;
}

export function createLanguages(parts: LanguageParts): Languages {
  return {
    python: pythonLanguage(parts.python),
    markdown: markdownLanguage,
    sql: sqlLanguage(parts.sql),
    prompt: promptLanguage(parts.prompt),
    r: rLanguage(parts.r),
    javascript: javascriptLanguage(parts.javascript),
    widget: widgetLanguage(parts.python.analysis),
  };
}
