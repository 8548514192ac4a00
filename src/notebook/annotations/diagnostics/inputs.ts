// Lines that bring inputs in or carry outputs out, and that could not be read.
import { lineOf } from '../block.ts';
import { parseDataset, parseFetch, parseOutputDir, parseWriteTable } from '../inputs.ts';
import { type Check, found } from './types.ts';

const readers: Readonly<Record<string, { parse: (value: string) => unknown; form: string }>> = {
  fetch: { parse: parseFetch, form: '<name> <url> [sha256=<64 hex digits>] [refetch=never|stale|always]' },
  dataset: { parse: parseDataset, form: '<variable> <name>[@<alias>|@v=<n>]' },
  write_table: { parse: parseWriteTable, form: '<variable> <table> append|overwrite|merge [on=<column>,…]' },
  output_dir: { parse: parseOutputDir, form: '<identifier>' },
};

export const checkUnreadableInputs: Check = ({ block }) =>
  block.directives.flatMap(({ name, value, line }) => {
    const reader = Object.hasOwn(readers, name) ? readers[name] : undefined;
    if (reader === undefined || reader.parse(value) !== null) return [];
    return [found('warn', `${name}_unreadable`, `This line is ignored; it should read @${name} ${reader.form}`, line)];
  });

/** A cell that opened empty because its file could not be read says so before anything else. */
export const checkSourceFile: Check = ({ cell, notebook }) =>
  notebook.problems
    .filter(({ cellId }) => cellId === cell.id)
    .map(({ code, message }) => found('error', code, message));

/** Ordering after a cell that is not there, or after itself, has no effect. */
export const checkAfter: Check = ({ cell, annotations, block, others }) =>
  annotations.after
    .filter((id) => id === cell.id || !others.has(id))
    .map((id) => {
      const why = id === cell.id ? 'is the cell itself' : 'is no cell of this notebook';
      return found('info', 'after_unknown', `@after has no effect: '${id}' ${why}`, lineOf(block, 'after', id));
    });
