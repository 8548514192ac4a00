// The cells of a notebook as the analysis of names wants them: what cells of other languages read and define, and where a name
// must stay as it is.
import { kindOf, languageFacts } from '../../cellLanguages.ts';
import type { NamedCell } from '../../engine/index.ts';
import { leadingBlock } from '../annotations/index.ts';
import type { Cell, Notebook } from '../document/index.ts';
import type { Shape } from '../shape/index.ts';

/** `name`: the one that is to be made explicit. */
export function namedCells({ cells }: Pick<Notebook, 'cells'>, shape: Shape, name?: string): NamedCell[] {
  return cells.map((cell) => {
    const { source, testSource } = cell;
    const { defines = [], references = [], variantGroup = null } = shape.cells.get(cell.id) ?? {};
    // A widget cell is Python in form.
    const language = kindOf(cell.language) === 'controls' ? 'python' : cell.language;
    const names = language === 'python' ? { reads: [], defines: [] } : { reads: references, defines };
    const fixed = name === undefined ? null : reasonToStay(cell, name, { defines, references, variantGroup });
    return { language, source, ...names, variant: variantGroup !== null, fixed, tests: testSource };
  });
}

function reasonToStay(
  { language, source, testSource }: Cell,
  name: string,
  shape: {
    readonly defines: readonly string[];
    readonly references: readonly string[];
    readonly variantGroup: string | null;
  },
): string | null {
  const word = new RegExp(`(?<!\\w)${RegExp.escape(name)}(?!\\w)`);
  const isNamed = shape.defines.includes(name) || shape.references.includes(name);
  const { noun, label } = languageFacts[language];
  if (kindOf(language) === 'code' && language !== 'python' && isNamed)
    return `${noun} uses it, and ${label} is not rewritten`;
  if (shape.variantGroup !== null && shape.defines.includes(name))
    return `it is defined by the variants of ${shape.variantGroup}, which share one name on purpose`;
  // What a cell is called is no name of a value, and the one variable of a query is found by it.
  const annotation = leadingBlock(source).directives.find((one) => one.name !== 'name' && word.test(one.value));
  if (annotation) return `the annotation @${annotation.name} names it`;
  return word.test(testSource) ? `the tests of the cell name it` : null;
}
