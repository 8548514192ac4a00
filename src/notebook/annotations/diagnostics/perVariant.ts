// Checks of `@per_variant`: the cell must read the values of a swept group, and of one only.
import { sweepsOf } from '../../dag/index.ts';
import { lineOf } from '../block.ts';
import { type Check, type Diagnostic, found, type Subject } from './types.ts';

export const checkPerVariant: Check = (subject) => {
  const { annotations, block } = subject;
  if (annotations.perVariant === null) return [];
  const overwrites = annotations.writeTables
    .filter(({ mode }) => mode === 'overwrite')
    .map(({ table }) =>
      found(
        'error',
        'per_variant_write_table_overwrite',
        `Each variant would overwrite '${table}' and only the last would remain; use append or merge`,
        lineOf(block, 'write_table', table),
      ),
    );
  return [...overwrites, ...standing(subject)];
};

function standing({ cell, annotations, block, context }: Subject): Diagnostic[] {
  const line = lineOf(block, 'per_variant');
  const say = (severity: Diagnostic['severity'], code: string, message: string): Diagnostic[] => [
    found(severity, code, message, line),
  ];
  if (annotations.variant !== null) {
    return say(
      'warn',
      'per_variant_on_variant_member',
      'A variant cannot itself run once per variant; @per_variant is ignored',
    );
  }
  const wanted = annotations.perVariant?.group ?? null;
  const { sweepGroups } = sweepsOf(context.dag, cell.id);
  if (wanted !== null && !sweepGroups.includes(wanted)) {
    return say('warn', 'per_variant_unknown_group', `'${wanted}' is not a swept group that this cell reads`);
  }
  if (sweepGroups.length === 0) {
    return say('warn', 'per_variant_no_sweep_source', 'The cell reads no variable of a swept group; it runs once');
  }
  if (wanted === null && sweepGroups.length > 1) {
    const message = `The cell reads several swept groups (${sweepGroups.join(', ')}): name one`;
    return say('warn', 'per_variant_ambiguous_group', message);
  }
  const group = wanted ?? sweepGroups[0];
  const members = context.dag.variantGroups.find((one) => one.group === group)?.members ?? [];
  return members.length === 1 ? say('info', 'per_variant_group_of_one', `Group '${group}' has one member`) : [];
}
