// What a cell printed, as lines, both streams in the order in which they were heard. A line that one stream has not ended goes
// on when it speaks again; what the other says in between stands above it.
import type { Printed } from '../model/index.ts';
import { type Line, line, plainLines } from './lines.ts';

export function consoleLines({ printed }: { readonly printed: readonly Printed[] }): readonly Line[] {
  if (printed.length === 0) return [line('Nothing was printed.', { dim: true })];
  return wholeLines(printed).flatMap(({ stream, text }) =>
    plainLines(text).map((one) => line(one || ' ', stream === 'stderr' ? { colour: 'red' } : {})),
  );
}

function wholeLines(printed: readonly Printed[]): readonly Printed[] {
  const begun = { stdout: '', stderr: '' };
  const lines: Printed[] = [];
  for (const { stream, text } of printed) {
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) lines.push({ stream, text: begun[stream] + text.slice(0, end) });
    begun[stream] = (end > 0 ? '' : begun[stream]) + text.slice(end);
  }
  for (const stream of ['stdout', 'stderr'] as const)
    if (begun[stream] !== '') lines.push({ stream, text: begun[stream] });
  return lines;
}
