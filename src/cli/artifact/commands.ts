// The `svc artifact` commands and their options. Each is loaded when it is asked for.
import type { Command } from 'commander';

const collect = (value: string, before: string[]): string[] => [...before, value];

const onStore = (command: Command): Command =>
  command
    .option('--artifact-dir <dir>', 'a local store, and nothing else (default: the store of the settings)')
    .option('--tenant <tenant>', 'whose names are meant');

const printed = (command: Command): Command => command.option('--format <format>', 'human or json', 'human');

const headerText = "sent with every request, as 'Name: value'; repeatable";

export function addArtifactCommands(program: Command): void {
  const artifact = program.command('artifact').description('artifacts of a store; needs no running server');
  const depth = ['--max-depth <steps>', 'how many steps back', '10'] as const;

  printed(onStore(artifact.command('list')))
    .description('versions, newest first')
    .option('--state <state>', 'ready, building, superseded or failed')
    .option('--limit <count>', 'at most this many', '50')
    .action(async (options: object) => (await import('./show.ts')).listArtifacts(options));

  printed(onStore(artifact.command('show')))
    .argument('<ref>', 'id@v=N, a name, name@alias, or an id')
    .description('one version')
    .action(async (ref: string, options: object) => (await import('./show.ts')).showArtifact(ref, options));

  printed(onStore(artifact.command('lineage')))
    .argument('<ref>')
    .description('what a version was made from')
    .option(...depth)
    .action(async (ref: string, options: object) => (await import('./show.ts')).showLineage(ref, options));

  printed(onStore(artifact.command('audit')))
    .argument('[name]')
    .description('every change of the registry, newest first')
    .option('--limit <count>', 'at most this many', '50')
    .action(async (name: string | undefined, options: object) => (await import('./show.ts')).showAudit(name, options));

  printed(onStore(artifact.command('pending')))
    .description('changes of protected aliases that wait for approval')
    .action(async (options: object) => (await import('./show.ts')).showPending(options));

  onStore(artifact.command('pull'))
    .argument('<ref>')
    .description('write the bytes of a version to a file')
    .option('--to <file>', 'where to (default: named after the reference)')
    .action(async (ref: string, options: object) => (await import('./keep.ts')).pullArtifact(ref, options));

  printed(onStore(artifact.command('verify')))
    .description('whether every version has the bytes that were recorded')
    .action(async (options: object) => (await import('./keep.ts')).verifyStore(options));

  printed(onStore(artifact.command('gc')))
    .description('collect what nothing holds')
    .option('--max-bytes <size>', 'collect down to this size: 500M, 20G')
    .option('--max-idle-days <days>', 'collect what was unused for longer')
    .option('--min-idle-seconds <seconds>', 'never collect what was used more recently')
    .option('--collect-latest', 'also the current values of chosen ids')
    .option('--dry-run', 'only say what would go')
    .action(async (options: object) => (await import('./keep.ts')).collectArtifacts(options));

  publishing(printed(onStore(artifact.command('publish'))));

  onStore(artifact.command('unpublish'))
    .argument('<token_or_id>')
    .description('withdraw a publication')
    .action(async (token: string, options: object) => (await import('./publish.ts')).unpublishArtifact(token, options));

  printed(onStore(artifact.command('promote')))
    .argument('<ref>')
    .description('copy a version and what it was made from to another store, and name it there')
    .requiredOption('--to <url>', 'the server of that store')
    .requiredOption('--name <name>', 'its name there')
    .option('--alias <alias>', 'an alias of the name')
    .option('--tag <pair>', 'a tag, as KEY=VALUE; repeatable', collect, [])
    .option('--table <table>', 'also write its rows to this table there')
    .option('--header <line>', headerText, collect, [])
    .option(...depth)
    .action(async (ref: string, options: object) => (await import('./publish.ts')).promoteArtifact(ref, options));

  printed(onStore(artifact.command('export')))
    .argument('<ref>')
    .description('write the rows of a version to an Iceberg table')
    .requiredOption('--table <table>', 'where to: file:///warehouse#namespace.table, or in a catalog of the settings')
    .option('--alias <tag>', 'a tag of the table that points at them')
    .option('--by <principal>', 'who is recorded with them')
    .action(async (ref: string, options: object) => (await import('./export.ts')).exportArtifact(ref, options));

  onStore(artifact.command('archive'))
    .argument('[ref]')
    .description('page, data and provenance of a version, or of a publication, as files that explain themselves')
    .option('--token <token>', 'a publication, in place of a reference')
    .requiredOption('--to <place>', 'a file that ends in .zip, or a folder')
    .option('--max-depth <steps>', 'how many steps back (default: 10, of a publication 25)')
    .option('--title <title>')
    .option('--author <name>', 'repeatable', collect, [])
    .option('--force', 'replace a file that is there')
    .action(async (ref: string | undefined, options: object) =>
      (await import('./publish.ts')).archiveArtifact(ref, options),
    );

  publishing(printed(onStore(program.command('publish'))));

  function publishing(command: Command): void {
    command
      .argument('<ref>')
      .description('make a version readable for everybody who has the link')
      .option('--title <title>')
      .option('--author <name>', 'repeatable', collect, [])
      .option('--into <dir>', 'copy it to that local store first, and publish there')
      .option('--to <url>', 'copy it to that server first, and publish there')
      .option('--here', 'publish in the store that it lies in')
      .option('--header <line>', headerText, collect, [])
      .option(...depth)
      .action(async (ref: string, options: object) => (await import('./publish.ts')).publishArtifact(ref, options));
  }
}
