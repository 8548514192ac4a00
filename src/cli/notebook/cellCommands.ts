// `svc cell …` and its options. Each is loaded when it is asked for.

import type { Command } from 'commander';
import { cellLanguages, usualLanguage } from '../../cellLanguages.ts';
import { collect, named, onTarget, printed } from './targetOptions.ts';

export function addCellCommands(cell: Command): void {
  onTarget(cell.command('list'))
    .argument('[target]', 'a notebook directory')
    .description('list cells with everything about them')
    .action(async (target, options) => (await import('./cells.ts')).listCells(target, options));

  onTarget(cell.command('show'))
    .argument('[target]', 'a notebook directory')
    .argument('[cell]')
    .description('show a cell, or the one that defines a name')
    .option('--var <name>', 'the cell that defines this name')
    .action(async (target, cellId, options) => {
      const { directory, name } =
        options.var === undefined ? named('cell', target, cellId, options) : { directory: target, name: cellId };
      return (await import('./cells.ts')).showCell(directory, name, options);
    });

  onTarget(cell.command('output'))
    .argument('[target]', 'a notebook directory')
    .argument('[cell]')
    .description('write what a cell shows to a file')
    .requiredOption('-o, --out <file>', 'where to')
    .option('--index <n>', 'which of its displays; -1 is the last', '-1')
    .action(async (target, cellId, options) => {
      const on = named('cell', target, cellId, options);
      return (await import('./outputs.ts')).saveOutput(on.directory, on.name, options);
    });

  onTarget(cell.command('run'))
    .argument('[target]', 'a notebook directory')
    .argument('[cell]')
    .description('run a cell and what it needs')
    .option('--rerun', 'although its result is stored')
    .option('--force', 'alone, with what is stored above it')
    .option('--no-sync', 'use the environment as it is')
    .action(async (target, cellId, options) => {
      const on = named('cell', target, cellId, options);
      return (await import('./cells.ts')).runOne(on.directory, on.name, options);
    });

  onTarget(cell.command('cancel'))
    .argument('<cell>')
    .description('cancel a cell that a server runs')
    .action(async (id, options) => (await import('./cells.ts')).cancelCell(id, options));

  onTarget(cell.command('test'))
    .argument('[target]', 'a notebook directory')
    .argument('[cell]')
    .description('run the tests of a cell')
    .option('--file <file>', 'replaces the tests first; - reads stdin')
    .option('--no-sync', 'use the environment as it is')
    .action(async (target, cellId, options) => {
      const on = named('cell', target, cellId, options);
      return (await import('./cells.ts')).testCell(on.directory, on.name, options);
    });

  onTarget(cell.command('add'))
    .argument('[target]', 'a notebook directory')
    .description('add a cell')
    .option('--file <file>', 'the source; - reads stdin')
    .option('-c, --code <source>', 'the source')
    .option('--after <cell>', 'which cell it comes after')
    .option('--language <language>', cellLanguages.join(', '), usualLanguage)
    .option('--run', 'run it as well')
    .option('--no-sync', 'use the environment as it is')
    .action(async (target, options) => (await import('./cells.ts')).addCell(target, options));

  onTarget(cell.command('edit'))
    .argument('[target]', 'a notebook directory')
    .argument('[cell]')
    .description('replace the source of a cell')
    .requiredOption('--file <file>', 'the new source; - reads stdin')
    .action(async (target, cellId, options) => {
      const on = named('cell', target, cellId, options);
      return (await import('./cells.ts')).editCell(on.directory, on.name, options);
    });

  onTarget(cell.command('rm'))
    .argument('[target]', 'a notebook directory')
    .argument('[cell]')
    .description('remove a cell')
    .action(async (target, cellId, options) => {
      const on = named('cell', target, cellId, options);
      return (await import('./cells.ts')).removeCell(on.directory, on.name, options);
    });

  onTarget(cell.command('mv'))
    .argument('[target]', 'a notebook directory')
    .argument('[cell]')
    .description('move a cell')
    .requiredOption('--to <index>', 'its new place, counted from 0')
    .action(async (target, cellId, options) => {
      const on = named('cell', target, cellId, options);
      return (await import('./cells.ts')).moveCell(on.directory, on.name, options);
    });

  onTarget(cell.command('annotate'))
    .argument('[target]', 'a notebook directory')
    .argument('[cell]')
    .description('set and remove annotations of a cell')
    .option('--set <key=value>', 'an annotation; repeatable', collect, [])
    .option('--unset <key>', 'an annotation to take away; repeatable', collect, [])
    .action(async (target, cellId, options) => {
      const on = named('cell', target, cellId, options);
      return (await import('./cells.ts')).annotateCell(on.directory, on.name, options);
    });

  printed(cell.command('pin-fetch'), 'json')
    .argument('<dir>', 'a notebook directory')
    .argument('<cell>')
    .argument('[names...]', 'which of its fetches (default: all)')
    .description('write the digests of what was downloaded into the source')
    .action(async (dir, cellId, names, options) =>
      (await import('./outputs.ts')).pinFetches(dir, cellId, names, options),
    );
}
