// Commands on notebooks and their options. Each is loaded when it is asked for.
import type { Command } from 'commander';

const collect = (value: string, before: string[]): string[] => [...before, value];

const printed = (command: Command, format: 'human' | 'json'): Command =>
  command.option('--format <format>', 'human or json', format);

/** A directory, or a session of a server. */
const onTarget = (command: Command): Command =>
  printed(command, 'json')
    .option('--server <url>', 'drive a session of this server instead')
    .option('--session <id>', 'which session')
    .option('--author <name>', 'who is credited with changes');

export function addNotebookCommands(program: Command): void {
  printed(program.command('new'), 'human')
    .argument('<name>')
    .description('create a notebook directory')
    .option('--parent <dir>', 'where', '.')
    .option('--python <version>', 'which Python, such as 3.13')
    .option('--no-env', 'do not build its environment yet')
    .action(async (name, options) => (await import('./files.ts')).newNotebook(name, options));

  printed(program.command('run'), 'human')
    .argument('<path>', 'a notebook directory')
    .description('run a whole notebook without a page; exits with 1 when a cell fails')
    .option('--force', 'run every cell, whatever is stored')
    .option('--quiet', 'only the summary')
    .option('--junit <file>', 'write a JUnit report with the tests of cells')
    .action(async (place, options) => (await import('./run.ts')).runNotebook(place, options));

  printed(program.command('validate'), 'human')
    .argument('<path>', 'a notebook directory')
    .description('look at a notebook without running anything')
    .action(async (place, options) => (await import('./files.ts')).validateNotebook(place, options));

  program
    .command('export')
    .argument('<path>', 'a notebook directory')
    .description('write a notebook as something to take along')
    .option('--to <kind>', 'markdown, html, snapshot, zip, ipynb or script', 'markdown')
    .option('--out <file>', 'where to (default: stdout)')
    .option('--include <what>', 'of a snapshot: all, selected or none', 'selected')
    .option('--cells <ids>', 'of a snapshot: cells whose results go along, with commas', '')
    .option('--force', 'replace a file that is there')
    .option('--include-inactive-variants', 'all variants, not only the active ones')
    .option('--app-view', 'only what a reader of the app sees')
    .action(async (place, options) => (await import('./files.ts')).exportNotebook(place, options));

  program
    .command('import')
    .argument('<file>', 'a .ipynb, a .py with cells, or a snapshot .zip')
    .description('bring in a notebook from elsewhere')
    .option('--out <dir>', 'the new notebook directory (default: beside the file)')
    .action(async (file, options) => (await import('./files.ts')).importNotebook(file, options));

  onTarget(program.command('status'))
    .argument('[target]', 'a notebook directory')
    .description('what state every cell is in')
    .action(async (target, options) => (await import('./cells.ts')).showStatus(target, options));

  onTarget(program.command('dag'))
    .argument('[target]', 'a notebook directory')
    .description('how cells depend on each other')
    .action(async (target, options) => (await import('./cells.ts')).showDag(target, options));

  addCellCommands(program.command('cell').description('look at cells, change them, run them'));

  const dep = program.command('dep').description('packages of a notebook');
  for (const [name, action] of [
    ['add', 'add'],
    ['rm', 'remove'],
  ] as const) {
    onTarget(dep.command(name))
      .argument('<target>', 'a notebook directory')
      .argument('<package>')
      .action(async (target, pack, options) =>
        (await import('./cells.ts')).changeDependency(action, target, pack, options),
      );
  }
}

function addCellCommands(cell: Command): void {
  onTarget(cell.command('list'))
    .argument('[target]')
    .action(async (target, options) => (await import('./cells.ts')).listCells(target, options));

  onTarget(cell.command('show'))
    .argument('[target]')
    .argument('[cell]')
    .option('--var <name>', 'the cell that defines this name')
    .action(async (target, id, options) => (await import('./cells.ts')).showCell(target, id, options));

  onTarget(cell.command('run'))
    .argument('<target>')
    .argument('<cell>')
    .option('--rerun', 'although its result is stored')
    .option('--force', 'alone, with what is stored above it')
    .action(async (target, id, options) => (await import('./cells.ts')).runOne(target, id, options));

  onTarget(cell.command('cancel'))
    .argument('<cell>')
    .action(async (id, options) => (await import('./cells.ts')).cancelCell(id, options));

  onTarget(cell.command('test'))
    .argument('<target>')
    .argument('<cell>')
    .option('--file <file>', 'replaces the tests first; - reads stdin')
    .action(async (target, id, options) => (await import('./cells.ts')).testCell(target, id, options));

  onTarget(cell.command('add'))
    .argument('[target]')
    .option('--file <file>', 'the source; - reads stdin')
    .option('-c, --code <source>', 'the source')
    .option('--after <cell>', 'which cell it comes after')
    .option('--language <language>', 'python, markdown, sql, r, prompt or widget', 'python')
    .option('--run', 'run it as well')
    .action(async (target, options) => (await import('./cells.ts')).addCell(target, options));

  onTarget(cell.command('edit'))
    .argument('<target>')
    .argument('<cell>')
    .requiredOption('--file <file>', 'the new source; - reads stdin')
    .action(async (target, id, options) => (await import('./cells.ts')).editCell(target, id, options));

  onTarget(cell.command('rm'))
    .argument('<target>')
    .argument('<cell>')
    .action(async (target, id, options) => (await import('./cells.ts')).removeCell(target, id, options));

  onTarget(cell.command('mv'))
    .argument('<target>')
    .argument('<cell>')
    .requiredOption('--to <index>', 'its new place, counted from 0')
    .action(async (target, id, options) => (await import('./cells.ts')).moveCell(target, id, options));

  onTarget(cell.command('annotate'))
    .argument('<target>')
    .argument('<cell>')
    .option('--set <key=value>', 'an annotation; repeatable', collect, [])
    .option('--unset <key>', 'an annotation to take away; repeatable', collect, [])
    .action(async (target, id, options) => (await import('./cells.ts')).annotateCell(target, id, options));
}
