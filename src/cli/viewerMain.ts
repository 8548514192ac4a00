// The `svc-notebook-tui` program: the terminal viewer alone.
import { Command } from 'commander';
import { version } from '../version.ts';
import { runProgram } from './program.ts';

const program = new Command('svc-notebook-tui')
  .description('Look at a live notebook in the terminal')
  .version(version)
  .option('--session <id>', 'an open session')
  .option('--notebook <path>', 'a notebook directory, which the server opens')
  .option('--server <url>', 'the server (default: SVC_TUI_SERVER)')
  .action(async ({ notebook, ...options }: { notebook?: string }) =>
    (await import('./watch.ts')).watch({ ...options, directory: notebook }),
  );

await runProgram(program);
