// One cell in the list: how it stands, what it is called, what its tests said, how long it took.
import { kindOf } from '../cellLanguages.ts';
import { type CellModel, duration, givenName, whereInWords } from '../model/index.ts';
import { type Colour, fit, type Line, plain, widthOf } from './lines.ts';

const looks: Readonly<Record<CellModel['status'], { readonly glyph: string; readonly colour: Colour }>> = {
  ready: { glyph: '✓', colour: 'green' },
  error: { glyph: '✗', colour: 'red' },
  running: { glyph: '▶', colour: 'yellow' },
  stale: { glyph: '~', colour: 'yellow' },
  idle: { glyph: '○', colour: 'gray' },
};

export const lookOf = ({ status, language }: CellModel): { readonly glyph: string; readonly colour: Colour } =>
  kindOf(language) === 'text' ? { glyph: '¶', colour: 'gray' } : looks[status];

export const shortName = ({ id, source }: CellModel): string => plain(givenName(source) ?? id.slice(0, 8));

const firstCode = ({ source }: CellModel): string =>
  plain(source.split('\n').find((one) => one.trim() !== '' && !/^\s*(#|--)\s*@/.test(one)) ?? '').trim();

function timeOf(cell: CellModel): string {
  if (cell.status === 'running' && cell.progress) return `[iter ${cell.progress.done}/${cell.progress.total}]`;
  if (cell.status === 'running') return cell.remote ? plain(whereInWords(cell)) : '…';
  if (cell.status !== 'ready') return '';
  if (cell.cacheHit) return 'cached';
  return cell.durationMs === null ? '' : duration(cell.durationMs).replace(' ms', 'ms').replace(' s', 's');
}

export function testBadge({ tests, source, ranSource, testSource }: CellModel): string {
  if (testSource === '' || !tests) return '';
  if (tests.pytest_unavailable) return '⚠ pytest n/a';
  const all = tests.passed + tests.failed + tests.errored + tests.skipped;
  const mark = tests.failed + tests.errored > 0 ? '✗' : '✓';
  return `${mark} ${tests.passed}/${all}${ranSource !== null && ranSource !== source ? ' ·stale' : ''}`;
}

export function cellRow(cell: CellModel, width: number, isSelected: boolean, isFocused: boolean): Line {
  const { glyph, colour } = lookOf(cell);
  const said = [testBadge(cell), timeOf(cell)].filter((text) => text !== '').join(' ');
  const right = widthOf(said) > width / 2 ? fit(said, Math.floor(width / 2)) : said;
  const name = shortName(cell);
  const variant = cell.variantName === null || cell.variantActive ? '' : ' (inactive)';
  const room = Math.max(1, width - 3 - widthOf(right) - 1);
  const label = fit(`${name}${variant}  ${firstCode(cell)}`, room);
  const style = isSelected ? { inverse: isFocused, bold: true } : { dim: !cell.variantActive };
  return [
    { text: `${glyph}  `, colour },
    { text: label, ...style },
    { text: ` ${right}`, dim: true },
  ];
}
