// `npm run bench`: measures every line, or those that match, and prints a table. Ends with 0 when everything could be
// measured; with `--enforce` a missed budget ends it with 1 too.
import fs from 'node:fs';
import os from 'node:os';
import { Command } from 'commander';
import { lines } from './lines/index.ts';
import { createPeerSource } from './programs/peers.ts';
import { createProgress } from './progress.ts';
import { heading, printLine } from './report.ts';
import { type LineReport, type Rounds, runLine } from './runner.ts';

interface Options {
  readonly quick?: boolean;
  readonly only?: string;
  readonly json?: string;
  readonly enforce?: boolean;
}

const fullRounds: Rounds = { own: 9, peers: 3 };
const quickRounds: Rounds = { own: 2, peers: 1 };

async function bench({ quick = false, only = '', json, enforce = false }: Options): Promise<number> {
  const chosen = lines.filter(({ name }) => name.toLowerCase().includes(only.toLowerCase()));
  if (chosen.length === 0) {
    process.stderr.write(`No line matches '${only}'. There are:\n${lines.map(({ name }) => `  ${name}\n`).join('')}`);
    return 2;
  }
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => {
      progress.clear();
      stop.abort(signal);
      process.exit(128 + os.constants.signals[signal]);
    });
  }
  const progress = createProgress();
  const peers = createPeerSource({ install: !quick, progress: progress.show });
  const reports: LineReport[] = [];
  process.stdout.write(heading());
  for (const line of quick ? chosen.filter(({ onlyFull }) => onlyFull !== true) : chosen) {
    const report = await runLine(line, {
      rounds: quick ? quickRounds : fullRounds,
      peers,
      progress: progress.show,
      signal: stop.signal,
    });
    progress.clear();
    process.stdout.write(`${printLine(report)}\n`);
    reports.push(report);
  }
  if (json !== undefined)
    fs.writeFileSync(json, `${JSON.stringify({ machine: machine(), lines: reports }, null, 2)}\n`);
  const failed = reports.some(({ findings }) => findings.some(({ result }) => 'failure' in result));
  const missed = reports.some(({ holds }) => holds === false);
  return failed || (enforce && missed) ? 1 : 0;
}

const machine = (): Record<string, string | number> => ({
  system: `${process.platform} ${process.arch}`,
  processor: os.cpus()[0]?.model ?? 'unknown',
  cores: os.availableParallelism(),
  node: process.versions.node,
});

await new Command('npm run bench --')
  .description('Measure the server against its budgets, its peers and the limits of the machine')
  .option('--quick', 'few rounds, and only peers that are already installed: less than a minute')
  .option('--only <text>', 'only the lines whose name holds this text')
  .option('--json <file>', 'also write every sample to this file')
  .option('--enforce', 'end with 1 when a budget is missed')
  .action(async (options: Options) => {
    process.exitCode = await bench(options);
  })
  .parseAsync();
