// `@loop` and `@loop_until`: lines merge key by key, later keys win, tokens that cannot be read are skipped.
import type { Directive } from './block.ts';
import type { LoopAnnotation } from './types.ts';
import { keyAndValue, parseInteger, tokensOf } from './words.ts';

/** Null when the source names neither directive. A loop runs as one only with iterations and a carry. */
export function parseLoop(directives: readonly Directive[]): LoopAnnotation | null {
  let loop: LoopAnnotation | null = null;
  const empty: LoopAnnotation = { maxIter: 0, carry: '', untilExpr: null, startFromCell: null, startFromIter: null };
  for (const { name, value } of directives) {
    if (name === 'loop_until' && value !== '') loop = { ...(loop ?? empty), untilExpr: value };
    if (name === 'loop') loop = tokensOf(value).reduce(withToken, loop ?? empty);
  }
  return loop;
}

function withToken(loop: LoopAnnotation, token: string): LoopAnnotation {
  const [key, value] = keyAndValue(token) ?? [];
  if (value === undefined) return loop;
  switch (key) {
    case 'max_iter':
      return { ...loop, maxIter: parseInteger(value) ?? loop.maxIter };
    case 'carry':
      return { ...loop, carry: value };
    case 'until':
      return { ...loop, untilExpr: value };
    case 'start_from': {
      const [, startFromCell, iteration] = /^([^@]+)@iter=(-?\d+)$/.exec(value) ?? [];
      const startFromIter = parseInteger(iteration ?? '');
      return startFromCell === undefined || startFromIter === null ? loop : { ...loop, startFromCell, startFromIter };
    }
    default:
      return loop;
  }
}

/**
 * The predicate as a source that Python can be asked about: it parses, and reads these names, or it is no expression. The
 * comma keeps a mere comment from passing for an empty pair of brackets.
 */
export function untilSource({ untilExpr }: LoopAnnotation): string | null {
  return untilExpr === null ? null : `(\n${untilExpr}\n,)`;
}
