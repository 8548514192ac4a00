// Checks of `@variant` and of the group's entry in the notebook file; they apply in every language.
import { lineOf } from '../block.ts';
import { parseVariant } from '../parse.ts';
import { type Check, type Diagnostic, found, type Subject } from './types.ts';

export const checkVariants: Check = (subject) => [
  ...malformedLines(subject),
  ...contractMismatch(subject),
  ...groupEntry(subject),
];

function malformedLines({ block }: Subject): Diagnostic[] {
  return block.directives
    .filter(({ name, value }) => name === 'variant' && parseVariant(value) === null)
    .map(({ line }) => found('warn', 'variant_malformed', '@variant takes a group and a name, both identifiers', line));
}

/** Members of a group stand in for each other, so they should define the same names. */
function contractMismatch(subject: Subject): Diagnostic[] {
  const { cell, annotations, block, others } = subject;
  if (annotations.variant === null) return [];
  const own = promised(subject);
  for (const other of others.values()) {
    const isSibling = other.cell.id !== cell.id && other.annotations.variant?.group === annotations.variant.group;
    if (!isSibling) continue;
    const theirs = promised(other);
    const missing = [...theirs.difference(own)].sort();
    const extra = [...own.difference(theirs)].sort();
    if (missing.length + extra.length === 0) continue;
    const parts = [
      ...(missing.length > 0 ? [`missing [${missing.join(', ')}]`] : []),
      ...(extra.length > 0 ? [`extra [${extra.join(', ')}]`] : []),
    ];
    const sibling = other.annotations.variant?.name ?? other.cell.id;
    const message = `Defines other names than variant '${sibling}': ${parts.join(', ')}`;
    return [found('warn', 'variant_contract_mismatch', message, lineOf(block, 'variant'))];
  }
  return [];
}

function promised({ facts }: Subject): Set<string> {
  return new Set(facts.defines ?? []).difference(new Set(facts.importedNames ?? []));
}

function groupEntry({ annotations, block, notebook, context }: Subject): Diagnostic[] {
  const group = annotations.variant?.group;
  const entry = notebook.variantGroups.findLast((one) => one.group === group);
  if (group === undefined || entry === undefined) return [];
  const line = lineOf(block, 'variant');
  const diagnostics: Diagnostic[] = [];
  if (entry.mode !== 'switch' && entry.mode !== 'sweep') {
    const message = `Group '${group}' has mode '${entry.mode}', which is neither switch nor sweep; it acts as switch`;
    diagnostics.push(found('warn', 'variant_mode_invalid', message, line));
  }
  if (entry.mode === 'sweep') {
    if (entry.active !== '') {
      const message = `Group '${group}' is swept: its active variant '${entry.active}' has no effect`;
      diagnostics.push(found('info', 'variant_active_redundant', message, line));
    }
    return diagnostics;
  }
  const members = context.dag.variantGroups.find((one) => one.group === group)?.members ?? [];
  if (entry.active !== '' && !members.some(({ name }) => name === entry.active)) {
    const message = `Group '${group}' names '${entry.active}' as active, which no cell is; the first member is used`;
    diagnostics.push(found('warn', 'variant_active_unknown', message, line));
  }
  return diagnostics;
}
