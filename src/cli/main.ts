// The command line. Each command is loaded when it is asked for, so that `svc --help` stays instant.
import { Command } from 'commander';
import { version } from '../version.ts';
import { addArtifactCommands } from './artifact/commands.ts';
import { addNotebookCommands } from './notebook/commands.ts';
import { runProgram } from './program.ts';

const program = new Command('svc').description('Notebook compute service').version(version);

program
  .command('serve')
  .description('serve notebooks, artifacts and tables (the same as `npm start`)')
  .option('--notebook-dir <dir>', 'where notebooks lie (default: SVC_NOTEBOOK_STORAGE_DIR)')
  .option('--host <host>', 'address to listen on (default: SVC_HOST)')
  .option('--port <port>', 'port to listen on; 0 takes a free one (default: SVC_PORT)')
  .action(async (options: object) => (await import('./serve.ts')).serve(options));

program
  .command('settings')
  .description('list every setting with its value, where it comes from and what it means')
  .option('--format <format>', 'human, json or markdown', 'human')
  .action(async (options: { format: string }) => (await import('./settings.ts')).listSettings(options));

const apikey = program.command('apikey').description('API keys of a service; needs no running server');

const withStore = (command: Command): Command =>
  command
    .option('--artifact-dir <dir>', 'artifact directory that holds the key database (default: SVC_ARTIFACT_DIR)')
    .option('--dsn <dsn>', 'PostgreSQL database that holds the keys (default: SVC_ARTIFACT_METADATA_DSN)');

withStore(apikey.command('create'))
  .argument('<principal>', 'who the key speaks for')
  .description('make a key and print it, once')
  .option('--tenant <tenant>', 'tenant of the key')
  .option('--scope <scope>', 'a scope that the key carries; repeatable', collect, [])
  .option('--description <text>', 'what the key is for')
  .option('--expires-in-days <days>', 'end of the key’s life')
  .action(async (principal: string, options: object) => (await import('./apikey.ts')).createKey(principal, options));

withStore(apikey.command('list'))
  .description('list keys, newest first; secrets are not stored')
  .option('--principal <principal>', 'only the keys of one principal')
  .option('--format <format>', 'human or json', 'human')
  .action(async (options: object) => (await import('./apikey.ts')).listKeys(options));

withStore(apikey.command('revoke'))
  .argument('<key_id>', 'the part of the key between the first two underscores')
  .description('end a key now')
  .action(async (keyId: string, options: object) => (await import('./apikey.ts')).revokeKey(keyId, options));

addNotebookCommands(program);
addArtifactCommands(program);

program
  .command('doctor')
  .description('look at everything that notebooks need, and say what to do about what is missing')
  .option(
    '--deep',
    'also everything that must hold of the store and of every notebook; reads all bytes, changes nothing',
  )
  .option('--artifact-dir <dir>', 'with --deep: another store (default: the store of the settings)')
  .option('--notebook-dir <dir>', 'with --deep: other notebooks (default: SVC_NOTEBOOK_STORAGE_DIR)')
  .option('--format <format>', 'human or json', 'human')
  .action(async (options: object) => (await import('./doctor.ts')).examine(options));

program
  .command('backup')
  .argument(
    '<target>',
    'a folder, or s3://bucket/prefix, gs://, az://; one that holds backups already gets what is new',
  )
  .description('copy notebooks, store and settings, while a server runs, so that they can be checked and restored')
  .option('--verify', 'copy nothing: look whether every backup there is whole')
  .option('--no-store', 'without the store')
  .option('--artifact-dir <dir>', 'the store (default: the store of the settings)')
  .option('--notebook-dir <dir>', 'the notebooks (default: SVC_NOTEBOOK_STORAGE_DIR)')
  .option('--format <format>', 'human or json', 'human')
  .action(async (target: string, options: object) => (await import('./backup.ts')).backUp(target, options));

program
  .command('restore')
  .argument('<target>', 'the folder of a backup, or s3://bucket/prefix, gs://, az://')
  .description('put a backup where nothing is yet; nothing is written over')
  .option('--at <backup>', 'which one, by how its name begins (default: the newest)')
  .option('--no-settings', 'without the project file that holds the settings')
  .option('--artifact-dir <dir>', 'where the store goes (default: SVC_ARTIFACT_DIR)')
  .option('--notebook-dir <dir>', 'where the notebooks go (default: SVC_NOTEBOOK_STORAGE_DIR)')
  .option('--format <format>', 'human or json', 'human')
  .action(async (target: string, options: object) => (await import('./backup.ts')).restore(target, options));

program
  .command('watch')
  .argument('[dir]', 'a notebook directory (default: a notebook that is open on the server)')
  .description('look at a live notebook in the terminal; changes nothing')
  .option('--session <id>', 'an open session instead of a directory')
  .option('--server <url>', 'the server (default: SVC_TUI_SERVER)')
  .action(async (directory: string | undefined, options: object) =>
    (await import('./watch.ts')).watch({ ...options, directory }),
  );

program
  .command('agent')
  .argument('<path>', 'a notebook directory; made when it is not there')
  .description('serve a notebook to an agent, and watch it work')
  .option('--server <url>', 'the server; started when it is not there (default: SVC_TUI_SERVER)')
  .option('--python <version>', 'of a new notebook: which Python')
  .option('--no-env', 'of a new notebook: do not build its environment yet')
  .option('--no-tui', 'without the viewer: wait for Ctrl-C')
  .option('--worker-ssh <target>', 'run cells on a machine that the server reaches by ssh')
  .action(async (path, options) => (await import('./agent/agent.ts')).startAgent(path, options));

program
  .command('completion')
  .argument('<shell>', 'bash, zsh or fish')
  .description('print a script that completes commands and options in a shell')
  .action(async (shell: string) => (await import('./completion.ts')).printCompletion(program, shell));

program
  .command('mcp')
  .description('serve agents over stdin and stdout (Model Context Protocol)')
  .action(async () => (await import('./mcp.ts')).serveAgents());

program
  .command('relay')
  .description('pass requests on to workers that dial in (svc-worker --connect)')
  .option('--host <host>', 'address to listen on', '127.0.0.1')
  .option('--port <port>', 'port to listen on', '9100')
  .action(async (options: { host: string; port: string }) => (await import('./relay.ts')).relay(options));

program
  .command('dispatch')
  .description('be the worker of a cluster: hand cells to workers that run there as its jobs')
  .requiredOption('--engine <engine>', 'slurm or ray')
  .option('--address <url>', 'of Ray: the dashboard of its head', 'http://127.0.0.1:8265')
  .option('--host <host>', 'address to listen on (default: 0.0.0.0 with a token, else 127.0.0.1)')
  .option('--port <port>', 'port to listen on', '9200')
  .option('--state <dir>', 'what it must find again after a restart; shared with the nodes (default: ~/.svc/dispatch)')
  .option(
    '--workers-reach <url>',
    'where workers dial in, as the nodes reach it (ws:// or wss://); files: through --state, where they share nothing else',
  )
  .option('--worker-command <command>', 'what starts svc-worker on a node (default: the one of this installation)')
  .option('--cpus <n>', 'of a cell that does not say', '1')
  .option('--memory <size>', 'of a cell that does not say, like 4GB (default: what the engine gives)')
  .option('--gpus <n>', 'of a cell that does not say', '0')
  .option('--time <duration>', 'how long a worker may live, like 4h (default: what the engine gives)')
  .option('--max-workers <n>', 'at the same time (default: as many as the cluster has room for)')
  .option('--idle-seconds <n>', 'how long a worker without a cell is kept', '300')
  .option('--start-seconds <n>', 'how long a worker that runs may take to dial in', '180')
  .option('--look-seconds <n>', 'how often the engine is asked about jobs', '2')
  .option('--partition <name>', 'of Slurm')
  .option('--sbatch <option>', 'one more option for sbatch, as it is; repeatable', collect, [])
  .action(async (options) => (await import('./dispatch.ts')).dispatch(options));

program
  .command('migrate')
  .description('copy the metadata of a local store to a PostgreSQL database')
  .option('--artifact-dir <dir>', 'the local store (default: SVC_ARTIFACT_DIR)')
  .option('--to-dsn <dsn>', 'the database (default: SVC_ARTIFACT_METADATA_DSN)')
  .option('--dry-run', 'only count')
  .option('--allow-nonempty-target', 'copy what a database that is in use lacks')
  .action(async (options: object) => (await import('./migrate.ts')).migrateStore(options));

program
  .command('env')
  .description('environments that notebooks share')
  .command('gc')
  .description('remove shared environments that no notebook links to and that were idle for long')
  .option('--dir <dir>', 'where they lie (default: SVC_NOTEBOOK_SHARED_ENV_DIR)')
  .option('--ttl-days <days>', 'how long idle (default: SVC_NOTEBOOK_SHARED_ENV_TTL_DAYS)')
  .action(async (options: { dir?: string; ttlDays?: string }) => (await import('./env.ts')).collectNow(options));

function collect(value: string, before: string[]): string[] {
  return [...before, value];
}

await runProgram(program);
