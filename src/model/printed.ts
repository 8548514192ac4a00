// What a cell printed, in the order in which it was heard: each stream alone does not say what came between.
import type { CellModel, Printed } from './model.ts';

/** A live console keeps its end; the whole comes with the result. */
const liveCharacters = 64 * 1024;
const livePieces = 2000;

export type Console = Pick<CellModel, 'stdout' | 'stderr' | 'printed'>;

export const nothingPrinted: Console = { stdout: '', stderr: '', printed: [] };

/** `isFirst`: of its stream; what stood there before is of another run. */
export function heard(cell: Console, { stream, text }: Printed, isFirst: boolean): Console {
  const own = isFirst ? cell.printed.filter((piece) => piece.stream !== stream) : cell.printed;
  const last = own.at(-1);
  const printed =
    last?.stream === stream
      ? own.with(-1, { stream, text: (last.text + text).slice(-liveCharacters) })
      : [...own, { stream, text }].slice(-livePieces);
  const before = isFirst ? '' : cell[stream];
  return { ...cell, [stream]: (before + text).slice(-liveCharacters), printed };
}

/** What is told of the whole; in the order in which it was heard, where nothing of it was missed. */
export function told(before: readonly Printed[], stdout: string, stderr: string): Console {
  const of = (stream: Printed['stream']): string =>
    before.flatMap((piece) => (piece.stream === stream ? [piece.text] : [])).join('');
  if (of('stdout') === stdout && of('stderr') === stderr) return { stdout, stderr, printed: before };
  const streams: Printed[] = [
    { stream: 'stdout', text: stdout },
    { stream: 'stderr', text: stderr },
  ];
  return { stdout, stderr, printed: streams.filter(({ text }) => text !== '') };
}
