// A notebook of another program becomes one of ours: its cells, the packages they need, and a report beside them.

import path from 'node:path';
import { kindOf } from '../../cellLanguages.ts';
import {
  EngineRefused,
  EngineTimeout,
  type FileBeside,
  type ForeignNotebook,
  type ForeignNotebooks,
  type Json,
} from '../../engine/index.ts';
import {
  type ListBeside,
  mergedRequirements,
  parseRequirement,
  type Requirement,
  RequirementError,
  readListsBeside,
} from '../../environments/index.ts';
import { refusals } from '../../errors/index.ts';
import { isNestedBeyond } from '../../nesting.ts';
import { type ForeignReport, maxSourceCharacters } from '../../protocol/index.ts';
import {
  jupyterFileName,
  type NewNotebook,
  type Notebook,
  newCellId,
  printJupyterFacts,
  writeAtomically,
} from '../document/index.ts';
import { ambiguousRecords } from '../rewrite/index.ts';
import { type NamedFile, namedFiles, sizeInWords } from './namedFiles.ts';

/** More than people write: each becomes a file, and all are shown on one page. */
const maxCells = 10_000;
/** Outputs have objects within each other; what is deeper was made to harm. */
const deepest = 200;

/** What lies beside the file. */
export interface Beside {
  /** By their paths from there. */
  readonly files: readonly (FileBeside & { readonly size: number })[];
  /** Those of them that list packages. */
  readonly lists: readonly ListBeside[];
}

const nothing: Beside = { files: [], lists: [] };

/** What was read of a notebook and of what lies beside it. */
export interface ReadNotebook extends Omit<ForeignNotebook, 'files'> {
  readonly files: readonly NamedFile[];
}

/** A `.py` is a script, anything else Jupyter's. */
export async function readForeign(
  foreign: ForeignNotebooks,
  fileName: string,
  text: string,
  { files, lists }: Beside = nothing,
): Promise<ReadNotebook> {
  try {
    const read = fileName.endsWith('.py')
      ? await foreign.script(checked(text), files)
      : await foreign.jupyter(parsed(text), files);
    checkSources(read.cells.map(({ source }) => source));
    const { packages, warnings } = await withLists(read, lists);
    return {
      ...read,
      packages,
      files: namedFiles(read.files, files),
      report: { ...read.report, captured_deps: packages, warnings },
    };
  } catch (error) {
    if (error instanceof EngineTimeout) throw refusals.importFailed('it takes too long to be read; split it');
    throw error instanceof EngineRefused ? refusals.importFailed(error.reason) : error;
  }
}

/** The packages of the notebook with the versions that lists beside it ask for. */
async function withLists(
  { packages, report }: ForeignNotebook,
  lists: readonly ListBeside[],
): Promise<{ packages: string[]; warnings: string[] }> {
  const warnings = [...report.warnings];
  const own = packages.flatMap((text): Requirement[] => {
    try {
      return [parseRequirement(text)];
    } catch (error) {
      if (!(error instanceof RequirementError)) throw error;
      warnings.push(`Not taken as a package: ${error.message}.`);
      return [];
    }
  });
  const { requirements, left } = await readListsBeside(lists);
  warnings.push(...left.map((line) => `Not taken from ${line}`));
  return { packages: mergedRequirements(own, requirements), warnings };
}

/** A script's cells begin with a mark. */
function checked(text: string): string {
  checkSources(text.split(/^# ?%%/m));
  return text;
}

function parsed(text: string): Json {
  if (isNestedBeyond(text, deepest)) throw refusals.ipynbNotJson(`it is nested deeper than ${deepest} levels`);
  const notebook = jsonOf(text);
  // Asked before anybody works on it; what is no notebook at all is told by whoever reads it.
  const { cells } = Object(notebook);
  if (Array.isArray(cells)) checkSources(cells.map((cell) => Object(cell).source));
  return notebook;
}

function jsonOf(text: string): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refusals.ipynbNotJson(error instanceof Error ? error.message : String(error));
  }
}

/** Each a text, or a list of its lines. */
function checkSources(sources: readonly unknown[]): void {
  if (sources.length > maxCells) throw refusals.importFailed(`it has more than ${maxCells} cells; split it`);
  for (const [at, source] of sources.entries()) {
    const lines: readonly unknown[] = Array.isArray(source) ? source : [source];
    const length = lines.reduce<number>((sum, line) => sum + (typeof line === 'string' ? line.length : 0), 0);
    if (length > maxSourceCharacters)
      throw refusals.importFailed(`cell ${at + 1} is longer than ${maxSourceCharacters} characters; split it`);
  }
}

/** What a notebook is called that comes in a file of this name. */
export const importedName = (file: string): string =>
  path
    .basename(file)
    .replace(/\.(ipynb|py|zip)$/i, '')
    .replace(/\.snapshot$/i, '') || 'imported';

/** What to create for it. */
export function newNotebookOf(
  { cells, packages, jupyter }: ReadNotebook,
  wanted: Pick<NewNotebook, 'name' | 'pythonVersion'>,
): NewNotebook {
  const named = cells.map((cell) => ({
    ...cell,
    id: `${kindOf(cell.language) === 'text' ? 'md' : 'cell'}-${newCellId()}`,
  }));
  const facts = {
    metadata: jupyter.metadata,
    cells: Object.fromEntries(named.flatMap(({ id, jupyter: own }) => (isEmpty(own) ? [] : [[id, own] as const]))),
    others: jupyter.others.map(({ after, cell }) => ({ after: named[after]?.id ?? null, cell })),
  };
  const hasFacts = !isEmpty(facts.metadata) || !isEmpty(facts.cells) || facts.others.length > 0;
  return {
    ...wanted,
    requirements: packages,
    cells: named.map(({ id, language, source, outputs }) => ({ id, language, source, outputs })),
    files: hasFacts ? [[jupyterFileName, printJupyterFacts(facts)]] : [],
  };
}

const isEmpty = (value: object): boolean => Object.keys(value).length === 0;

export async function writeReport(
  { directory, cells }: Pick<Notebook, 'directory' | 'cells'>,
  fileName: string,
  { report, files, optional }: ReadNotebook,
): Promise<ForeignReport> {
  const reportPath = path.join(directory, 'import_report.md');
  const text = reportText(fileName, { report, files, optional });
  await writeAtomically(reportPath, text);
  const idAt = (place: number): string => cells[place]?.id ?? '';
  const findings = report.findings.map(({ cell, above, ...finding }) => ({
    cell_id: idAt(cell),
    ...finding,
    ...(above === undefined ? {} : { above_cell_id: idAt(above) }),
  }));
  const { ambiguous, ...told } = report;
  const ambiguous_names = ambiguousRecords(ambiguous, cells);
  const data_files = files.map(({ cells: places, ...file }) => ({ ...file, cell_ids: places.map(idAt) }));
  return {
    ...told,
    optional_deps: optional,
    data_files,
    findings,
    ambiguous_names,
    report_path: reportPath,
    report_text: text,
  };
}

type Told = Pick<ReadNotebook, 'report' | 'files' | 'optional'>;

function reportText(fileName: string, { report, files, optional }: Told): string {
  const counts = [
    `- Markdown cells: ${report.markdown_cells}`,
    `- Code cells: ${report.code_cells}`,
    ...(report.suppressed_outputs > 0 ? [`- Cells that show nothing: ${report.suppressed_outputs}`] : []),
    ...(report.skipped_cells.length > 0 ? [`- Left out: ${report.skipped_cells.join(', ')}`] : []),
  ];
  const code = (text: string): string => `- \`${text.replaceAll('`', "'")}\``;
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : ['', `## ${title}`, '', ...lines];
  const found = (kind: ForeignNotebook['report']['findings'][number]['kind']): string[] =>
    report.findings
      .filter((finding) => finding.kind === kind)
      .map(
        ({ cell, line, text }) => `${kind === 'differs' ? `- ${text}` : code(text)} (cell ${cell + 1}, line ${line})`,
      );
  return [
    `# Imported from ${fileName}`,
    '',
    '## Counts',
    '',
    ...counts,
    ...section('Magics translated', found('translated')),
    ...section('Kept as they are written; they work here', found('kept')),
    ...section('Magics dropped', found('dropped')),
    ...section('Different from Jupyter', found('differs')),
    ...section('Figures that are continued below; both cells can be joined', report.findings.flatMap(continuedLine)),
    ...section('Names that several cells write', report.ambiguous.flatMap(ambiguousLines)),
    ...section('Dependencies captured', report.captured_deps.map(code)),
    ...section('Packages that it does without; not installed', optional.map(code)),
    ...section('Files that cells name', files.map(fileLine)),
    ...section('Warnings', report.warnings.map(code)),
    '',
  ].join('\n');
}

/** Which cells make it, and what each other reads; cells are counted from 1, as people do. */
function ambiguousLines({ name, cells }: ForeignNotebook['report']['ambiguous'][number]): string[] {
  const listed = (places: readonly number[]): string => places.map((place) => place + 1).join(', ');
  const makers = cells.filter(({ defines }) => defines).map(({ cell }) => cell);
  const readers = cells.flatMap(({ cell, reads }) =>
    reads === null || reads === cell ? [] : [`cell ${cell + 1} reads that of cell ${reads + 1}`],
  );
  return [`- \`${name}\` is made by cells ${listed(makers)}${readers.length === 0 ? '' : `; ${readers.join(', ')}`}`];
}

const standing: Readonly<Record<NamedFile['standing'], string>> = {
  brought: 'brought along',
  beside: 'lies beside the notebook and was not brought along',
  missing: 'was not found beside the notebook',
};

const fileLine = ({ path: place, size, standing: stands, cells }: NamedFile): string =>
  `- \`${place}\`${size === null ? '' : ` (${sizeInWords(size)})`} ${standing[stands]}; named in ${cells.length === 1 ? 'cell' : 'cells'} ${cells.map((cell) => cell + 1).join(', ')}`;

const continuedLine = ({ kind, cell, text, above }: ForeignNotebook['report']['findings'][number]): string[] =>
  kind === 'continued' && above !== undefined
    ? [`- \`${text}\` of cell ${above + 1} is continued in cell ${cell + 1}`]
    : [];
