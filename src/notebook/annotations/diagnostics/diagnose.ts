// All diagnostics of a notebook in their documented order. Cells look at each other, so they are checked together.
import { type CellLanguage, kindOf, type LanguageKind } from '../../../cellLanguages.ts';
import type { Cell, Notebook } from '../../document/index.ts';
import { leadingBlock } from '../block.ts';
import { parseAnnotations } from '../parse.ts';
import {
  checkApp,
  checkLoop,
  checkModuleExport,
  checkMountLines,
  checkResources,
  checkTables,
  checkTimeoutAndEnv,
  checkWorker,
} from './code.ts';
import { checkAfter, checkSourceFile, checkUnreadableInputs } from './inputs.ts';
import { checkPerVariant } from './perVariant.ts';
import { checkSql } from './sql.ts';
import type { AnalysedFacts, Check, DiagnosisContext, Diagnostic, Subject } from './types.ts';
import { checkVariants } from './variants.ts';
import { checkPrompt, checkWidget } from './widget.ts';

const inEveryLanguage: readonly Check[] = [checkSourceFile, checkVariants, checkPerVariant];
const inCodeAndQueries: readonly Check[] = [checkApp, checkUnreadableInputs, checkAfter];
const inCode: readonly Check[] = [
  checkModuleExport,
  checkWorker,
  checkMountLines,
  checkTables,
  checkTimeoutAndEnv,
  checkResources,
  checkLoop,
];

/** In markdown a heading such as `# @worker` is text, so only variants are looked at there. */
const ofKind: Readonly<Record<LanguageKind, readonly Check[]>> = {
  text: inEveryLanguage,
  code: [...inEveryLanguage, ...inCodeAndQueries, ...inCode],
  request: [...inEveryLanguage, ...inCodeAndQueries],
  controls: [...inEveryLanguage, ...inCodeAndQueries],
};
const ofLanguage: Readonly<Partial<Record<CellLanguage, Check>>> = {
  sql: checkSql,
  prompt: checkPrompt,
  widget: checkWidget,
};

const checksFor = (language: CellLanguage): readonly Check[] => [
  ...ofKind[kindOf(language)],
  ...[ofLanguage[language] ?? []].flat(),
];

type Reading = Pick<Subject, 'annotations' | 'block'>;

/** An edit changes one cell, and cells are values: the reading of each other one still holds. */
const readings = new WeakMap<Cell, Reading>();

function readSource(cell: Cell): Reading {
  const known = readings.get(cell);
  if (known !== undefined) return known;
  const reading = { annotations: parseAnnotations(cell.source), block: leadingBlock(cell.source) };
  readings.set(cell, reading);
  return reading;
}

export function diagnose(
  notebook: Notebook,
  facts: ReadonlyMap<string, AnalysedFacts>,
  context: DiagnosisContext,
): Map<string, Diagnostic[]> {
  const subjects = new Map<string, Subject>();
  for (const cell of notebook.cells) {
    subjects.set(cell.id, {
      cell,
      ...readSource(cell),
      facts: facts.get(cell.id) ?? {},
      notebook,
      context,
      others: subjects,
    });
  }
  return new Map(
    [...subjects].map(([id, subject]) => [id, checksFor(subject.cell.language).flatMap((check) => check(subject))]),
  );
}
