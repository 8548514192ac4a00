// A run as JUnit XML: a case for each cell, and one for each of its tests.
import { escapeMarkup } from '../../escapeMarkup.ts';
import type { CellReport } from '../../protocol/index.ts';

export function junitReport(name: string, cells: readonly CellReport[]): string {
  const cases = cells.flatMap((cell) => [cellCase(cell), ...(cell.tests ?? []).map((test) => testCase(cell.id, test))]);
  const failures = cases.filter(({ kind }) => kind === 'failure').length;
  const skipped = cases.filter(({ kind }) => kind === 'skipped').length;
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="${escaped(name)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}">
${cases.map(({ xml }) => xml).join('\n')}
</testsuite>
`;
}

interface Case {
  readonly kind: 'passed' | 'failure' | 'skipped';
  readonly xml: string;
}

function cellCase({ id, status, duration_ms, error, traceback, reason }: CellReport): Case {
  const open = `  <testcase classname="cells" name="${escaped(id)}" time="${(duration_ms / 1000).toFixed(3)}"`;
  if (status === 'ok') return { kind: 'passed', xml: `${open}/>` };
  if (status === 'skipped')
    return { kind: 'skipped', xml: `${open}><skipped message="${escaped(reason ?? '')}"/></testcase>` };
  return {
    kind: 'failure',
    xml: `${open}><failure message="${escaped(error ?? '')}">${escaped(traceback ?? error ?? '')}</failure></testcase>`,
  };
}

function testCase(
  cellId: string,
  { name, outcome, message }: { name: string; outcome: string; message: string },
): Case {
  const open = `  <testcase classname="tests.${escaped(cellId)}" name="${escaped(name)}"`;
  if (outcome === 'passed') return { kind: 'passed', xml: `${open}/>` };
  if (outcome === 'skipped')
    return { kind: 'skipped', xml: `${open}><skipped message="${escaped(message)}"/></testcase>` };
  return {
    kind: 'failure',
    xml: `${open}><failure message="${escaped(message.split('\n')[0] ?? '')}">${escaped(message)}</failure></testcase>`,
  };
}

const escaped = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML has no way to write them
  escapeMarkup(text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ''));
