// What a model is told of a notebook: names, types and the columns of tables. Values, and what was printed, only where the person
// says so. Secrets of the notebook are taken out of everything.

import { parseArtifactUri } from '../../artifacts/index.ts';
import { cellLabel } from '../../cellName.ts';
import type { TemplateInputs } from '../../engine/index.ts';
import { hiding, secretsIn } from '../../errors/index.ts';
import { notebookEnv } from '../annotations/index.ts';
import type { LiveNotebook } from '../live/index.ts';
import type { Sketch } from '../run/index.ts';

export type LookedAt = Pick<LiveNotebook, 'notebook' | 'shape' | 'shown' | 'cellRecord' | 'blobPath'>;

const mostNames = 150;
const mostColumns = 60;
const mostValues = 20;
const valueCharacters = 2000;
const printedCharacters = 4000;
/** Names come from data, too: a longer one is a value, and one of several lines would be words of its own. */
const nameCharacters = 100;

interface KnownName {
  readonly name: string;
  readonly from: string;
  readonly cellId: string;
  readonly sketch: Sketch | undefined;
  readonly isRead: boolean;
}

/** The environment that says which provider is asked: of the cell, or of the notebook. */
export const envFor = (live: LookedAt, cellId: string | null): Readonly<Record<string, string>> =>
  live.shape().cells.get(cellId ?? '')?.env ?? notebookEnv(live.notebook());

/** Takes what the notebook keeps secret out of a text. */
export const withoutSecrets = (live: LookedAt, cellId: string | null): ((text: string) => string) =>
  hiding(secretsIn(envFor(live, cellId)));

/** Names that other cells define, those that the cell reads first. */
function namesFor(live: LookedAt, cellId: string | null): KnownName[] {
  const { cells } = live.notebook();
  const shapes = live.shape().cells;
  const read = new Set(shapes.get(cellId ?? '')?.references);
  const known = new Map<string, KnownName>();
  cells.forEach((cell, place) => {
    const shape = shapes.get(cell.id);
    if (cell.id === cellId || !shape?.variantActive) return;
    const from = cellLabel({ ...cell, defines: [...shape.defines] }, place);
    const sketches = live.shown(cell.id)?.sketches;
    for (const name of shape.defines)
      known.set(name, { name, from, cellId: cell.id, sketch: sketches?.[name], isRead: read.has(name) });
  });
  return [...known.values()].sort((a, b) => Number(b.isRead) - Number(a.isRead)).slice(0, mostNames);
}

export function namesInWords(live: LookedAt, cellId: string | null): string {
  const names = namesFor(live, cellId);
  if (names.length === 0) return 'No other cell defines a name.';
  const lines = names.map(
    ({ name, from, sketch }) => `- \`${asName(name)}\`: ${inWords(sketch)}, from ${asName(from)}`,
  );
  return ['Names that other cells define:', ...lines].join('\n');
}

function inWords(sketch: Sketch | undefined): string {
  if (!sketch) return 'type not known yet';
  const { type, rows, columns } = sketch;
  const shown = columns?.slice(0, mostColumns).map((column) => `\`${asName(column)}\``);
  const left = (columns?.length ?? 0) - (shown?.length ?? 0);
  return [
    asName(type),
    ...(rows === undefined ? [] : [`${rows} rows`]),
    ...(shown ? [`columns ${shown.join(', ')}${left > 0 ? ` and ${left} more` : ''}`] : []),
  ].join(', ');
}

/** On one line, and without the signs that names stand between. */
function asName(text: string): string {
  const line = text
    .slice(0, 10 * nameCharacters)
    .replaceAll(/[\s\p{C}]+/gu, ' ')
    .replaceAll('`', "'");
  return cut(line.trim(), nameCharacters);
}

/** The values that the cell reads, and what it printed. `hide`: before anything is cut, or a part of a secret would be none. */
export async function valuesInWords(
  live: LookedAt,
  cellId: string | null,
  render: (template: string, inputs: TemplateInputs) => Promise<{ readonly text: string }>,
  hide: (text: string) => string,
): Promise<string> {
  const parts: string[] = [];
  const read = namesFor(live, cellId).filter(({ isRead }) => isRead || cellId === null);
  for (const { name, cellId: maker } of read.slice(0, mostValues)) {
    const value = live.shown(maker)?.variables[name];
    const address = parseArtifactUri(value?.uri ?? '');
    if (!value || !address || value.sweep) continue;
    const inputs = { [name]: { contentType: value.contentType, file: live.blobPath(address) } };
    const { text } = await render(`{{ ${name} }}`, inputs);
    parts.push(`Value of \`${name}\`:\n${cut(hide(text), valueCharacters)}`);
  }
  const { console_stdout: stdout = '', console_stderr: stderr = '' } = cellId === null ? {} : live.cellRecord(cellId);
  const printed = `${stdout}${stderr}`.trim();
  if (printed !== '') parts.push(`What the cell printed:\n${cut(hide(printed), printedCharacters)}`);
  return parts.join('\n\n');
}

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length)} …` : text);
