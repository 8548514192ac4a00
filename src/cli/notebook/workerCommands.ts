// `svc worker …` and its options.
import type { Command } from 'commander';
import { onTarget, printed } from './targetOptions.ts';

export function addWorkerCommands(worker: Command): void {
  printed(worker.command('ls'), 'json')
    .argument('<dir>', 'a notebook directory')
    .description('list the workers of a notebook')
    .action(async (dir, options) => (await import('./workers.ts')).listWorkers(dir, options));

  printed(worker.command('add'), 'json')
    .argument('<dir>', 'a notebook directory')
    .argument('<name>')
    .description('define a worker, or replace the one of this name')
    .requiredOption('--url <url>', 'its address')
    .option('--transport <transport>', 'direct or signed', 'direct')
    .option('--runtime-id <id>', 'what makes its results its own')
    .option('--token-env <variable>', 'the variable that holds its token')
    .option('--environment <which>', "auto, locked (the notebook's) or own (the worker's)", 'auto')
    .option('--default', 'run cells there from now on')
    .action(async (dir, name, options) => (await import('./workers.ts')).addWorker(dir, name, options));

  printed(worker.command('rm'), 'json')
    .argument('<dir>', 'a notebook directory')
    .argument('<name>')
    .description('forget a worker')
    .action(async (dir, name, options) => (await import('./workers.ts')).removeWorker(dir, name, options));

  printed(worker.command('default'), 'json')
    .argument('<dir>', 'a notebook directory')
    .argument('[name]', 'left out, or local: this machine')
    .description('choose where cells run')
    .action(async (dir, name, options) => (await import('./workers.ts')).chooseWorker(dir, name, options));

  onTarget(worker.command('add-ssh'))
    .argument('<target>', 'as ssh takes it')
    .description('start a worker on a machine that the server reaches by ssh')
    .option('--name <name>', 'what it is called (default: after the machine)')
    .option('--no-default', 'do not run cells there yet')
    .option('--no-install', 'it is installed there already')
    .action(async (target, options) => (await import('./workers.ts')).addSshWorker(target, options));

  onTarget(worker.command('rm-ssh'))
    .argument('<name>')
    .description('close the tunnel of a worker and forget it')
    .option('--stop-remote', 'end the worker on its machine as well')
    .action(async (name, options) => (await import('./workers.ts')).removeSshWorker(name, options));
}
