// Commands on notebooks and their options. Each is loaded when it is asked for.
import type { Command } from 'commander';
import { addCellCommands } from './cellCommands.ts';
import { named, onTarget, printed } from './targetOptions.ts';
import { addWorkerCommands } from './workerCommands.ts';

export function addNotebookCommands(program: Command): void {
  printed(program.command('new'), 'human')
    .argument('<name>')
    .description('create a notebook directory')
    .option('--parent <dir>', 'where', '.')
    .option('--python <version>', 'which Python, such as 3.13')
    .option('--no-env', 'do not build its environment yet')
    .option('--no-git', 'without an ignore file')
    .option('--project-mount [name]', 'mount the parent directory, to be read only, under this name (default: project)')
    .action(async (name, options) => (await import('./files.ts')).newNotebook(name, options));

  printed(program.command('run'), 'human')
    .argument('<path>', 'a notebook directory')
    .description('run a whole notebook without a page; exits with 1 when a cell fails')
    .option('--force', 'run every cell, whatever is stored')
    .option('--no-sync', 'use the environment as it is')
    .option('--timeout <seconds>', 'the limit of cells for which nothing else sets one (default: 300)')
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
    .option('-o, --out <file>', 'where to (default: stdout)')
    .option('--include <what>', 'of a snapshot: all, selected or none', 'selected')
    .option('--cells <ids>', 'of a snapshot: cells whose results go along, with commas', '')
    .option('--force', 'replace a file that is there')
    .option('--include-inactive-variants', 'all variants, not only the active ones')
    .option('--no-console', 'without what cells printed')
    .option('--app-view', 'only what a reader of the app sees')
    .option('--comments', 'of a page: with what people said about cells')
    .option('--max-output-bytes <bytes>', 'of a page: where an output is cut; 0 cuts nothing', '1048576')
    .action(async (place, options) => (await import('./export.ts')).exportNotebook(place, options));

  program
    .command('import')
    .argument('<file>', 'a .ipynb, a .py with cells, or a snapshot .zip')
    .description('bring in a notebook from elsewhere')
    .option('-o, --out <dir>', 'the new notebook directory (default: beside the file)')
    .option('--data <which>', 'files beside it that cells name: none, small or all (default: asks at a terminal)')
    .option('--check-deps', 'install what it needs; what fails goes to the report')
    .action(async (file, options) => (await import('./import.ts')).importNotebook(file, options));

  onTarget(program.command('status'))
    .argument('[target]', 'a notebook directory')
    .description('what state every cell is in')
    .action(async (target, options) => (await import('./cells.ts')).showStatus(target, options));

  onTarget(program.command('dag'))
    .argument('[target]', 'a notebook directory')
    .description('how cells depend on each other')
    .action(async (target, options) => (await import('./cells.ts')).showDag(target, options));

  addCellCommands(program.command('cell').description('look at cells, change them, run them'));

  addWorkerCommands(program.command('worker').description('where the cells of a notebook run'));

  const dep = program.command('dep').description('packages of a notebook');
  for (const [name, action] of [
    ['add', 'add'],
    ['rm', 'remove'],
  ] as const) {
    onTarget(dep.command(name))
      .argument('[target]', 'a notebook directory')
      .argument('[package]')
      .description(`${action === 'add' ? 'install' : 'uninstall'} a package`)
      .action(async (target, pack, options) => {
        const on = named('package', target, pack, options);
        return (await import('./cells.ts')).changeDependency(action, on.directory, on.name, options);
      });
  }
}
