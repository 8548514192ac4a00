// What a cell's annotations change about the names it brings to the graph.
import type { DagCell } from '../dag/index.ts';
import type { Annotations } from './types.ts';
import { isIdentifier } from './words.ts';

/** The names found in a cell's body. */
export type BodyNames = Pick<
  DagCell,
  'defines' | 'references' | 'builtinReferences' | 'discardedReads' | 'mutationDefines'
>;

/** What the result of a SQL or prompt cell is called that does not say so itself. */
export const defaultResult = 'result';

/** The one variable of a SQL or prompt cell. */
export function outputVariable({ name }: Annotations): string {
  return name !== null && isIdentifier(name) ? name : defaultResult;
}

/**
 * A loop reads its carry, unless it starts from another cell's, and what its stop condition reads (`untilReferences`).
 * Output folders are names the cell makes, not reads.
 */
export function graphNames(
  id: string,
  body: BodyNames,
  annotations: Annotations,
  untilReferences: readonly string[] = [],
): DagCell {
  const { loop, outputDirs, after, variant, perVariant } = annotations;
  const defines = [...new Set([...body.defines, ...outputDirs])];
  const carry = loop !== null && loop.carry !== '' && loop.startFromCell === null ? [loop.carry] : [];
  const until = loop === null ? [] : untilReferences.filter((name) => !defines.includes(name));
  const references = [...new Set([...body.references, ...carry, ...until])].filter(
    (name) => !outputDirs.includes(name),
  );
  const startFrom =
    loop === null || loop.startFromCell === null || loop.carry === ''
      ? null
      : { cellId: loop.startFromCell, variable: loop.carry };
  return { ...body, id, defines, references, late: [], after, startFrom, variant, perVariant };
}
