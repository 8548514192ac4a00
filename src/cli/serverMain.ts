// The `svc-notebook` program: the server alone. Everything but the notebook directory is a setting.
import { Command } from 'commander';
import { version } from '../version.ts';
import { runProgram } from './program.ts';

const program = new Command('svc-notebook')
  .description('Serve notebooks, artifacts and tables')
  .version(version)
  .option('--notebook-dir <dir>', 'where notebooks lie (default: SVC_NOTEBOOK_STORAGE_DIR)')
  .action(async (options: { notebookDir?: string }) => (await import('./serve.ts')).serve(options));

await runProgram(program);
