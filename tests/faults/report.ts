// What rounds gave, a line each in a file of records, and what docs/reliability.md says of all of them.
import fs from 'node:fs';
import type { Fault } from './fault.ts';
import type { Outcome } from './round.ts';

/** What is kept of a round. */
export interface Recorded {
  readonly seed: number;
  readonly fault: string;
  readonly answersAfterMs: number | null;
  readonly findings: readonly string[];
  /** How many edits, stored results, publications, runs, streams and builds were answered for. */
  readonly acknowledged: number;
  /** The day. */
  readonly date: string;
}

const promisedMs = 2000;
const answered =
  /^(edit over REST|edit over the socket|result stored and named|result published|run|run on a worker|stream read|build ready)$/;

export function recordOf({ seed, fault, answersAfterMs: after, findings, counts }: Outcome): Recorded {
  const answersAfterMs = after ?? null;
  let acknowledged = 0;
  for (const [what, times] of counts) if (answered.test(what)) acknowledged += times;
  return { seed, fault, answersAfterMs, findings, acknowledged, date: new Date().toISOString().slice(0, 10) };
}

export const appendRecord = (file: string, record: Recorded): void =>
  fs.appendFileSync(file, `${JSON.stringify(record)}\n`);

export const readRecords = (file: string): Recorded[] =>
  fs
    .readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const isSlow = ({ answersAfterMs }: Recorded): boolean => answersAfterMs === null || answersAfterMs > promisedMs;

interface Counts {
  readonly rounds: number;
  readonly found: number;
  readonly slow: number;
}

const countsOf = (records: readonly Recorded[]): Counts => ({
  rounds: records.length,
  found: records.filter(({ findings }) => findings.length > 0).length,
  slow: records.filter(isSlow).length,
});

const withCounts = (one: Counts, other: Counts): Counts => ({
  rounds: one.rounds + other.rounds,
  found: one.found + other.found,
  slow: one.slow + other.slow,
});

const sentenceOf = ({ rounds, found, slow }: Counts): string =>
  `${rounds} rounds, ${found} with findings, ${slow} answered later than ${promisedMs} ms`;

export const summaryOf = (records: readonly Recorded[]): string => sentenceOf(countsOf(records));

/** What a report says of rounds whose records are gone: all but the single times, of which medians are made. */
export interface Earlier {
  readonly counts: Counts;
  readonly acknowledged: number;
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly seeds: string;
  readonly byFault: ReadonlyMap<string, Counts & { readonly worstMs: number }>;
  /** A line each. */
  readonly findings: readonly string[];
}

const noCounts: Counts = { rounds: 0, found: 0, slow: 0 };
const noneEarlier: Earlier = {
  counts: noCounts,
  acknowledged: 0,
  from: undefined,
  to: undefined,
  seeds: '',
  byFault: new Map(),
  findings: [],
};

export function readEarlier(report: string): Earlier {
  const [, acknowledged = '0'] = /; (\d+) edits, runs/.exec(report) ?? [];
  const [, from, to = from, seeds = ''] =
    /Recorded (\S+?)(?: to (\S+?))?, seeds ([\d–, ]+), on a machine/.exec(report) ?? [];
  const lines = report.matchAll(/^\| \*\*([\w-]+)\*\*: .* \| (\d+) \| (\d+) \| [\d ms]* \| ([\d ms]*) \| (\d+) \|$/gm);
  const byFault = new Map(
    [...lines].map(([, name = '', rounds, found, worst = '', slow]) => [
      name,
      { rounds: Number(rounds), found: Number(found), slow: Number(slow), worstMs: Number.parseFloat(worst) || 0 },
    ]),
  );
  const counts = [...byFault.values()].reduce<Counts>(withCounts, noCounts);
  const findings = [...report.matchAll(/^- seed \d+, .*$/gm)].map(([line]) => line);
  return { counts, acknowledged: Number(acknowledged), from, to, seeds, byFault, findings };
}

/** `leftOut`: why a fault could not be made on this machine, by its name. `earlier`: rounds whose records are gone. */
export function reportOf(
  records: readonly Recorded[],
  faults: readonly Fault[],
  leftOut: ReadonlyMap<string, string>,
  earlier: Earlier = noneEarlier,
): string {
  const days = records.map(({ date }) => date).sort();
  const dates = new Set([earlier.from ?? days[0], days.at(-1) ?? earlier.to]);
  const acknowledged = records.reduce((sum, one) => sum + one.acknowledged, earlier.acknowledged);
  const seeds = [earlier.seeds, seedsOf(records)].filter((list) => list !== '').join(', ');
  const medians = earlier.counts.rounds === 0 ? '' : ` Medians are of the last ${records.length} rounds.`;
  return `${head}
## What was found

${sentenceOf(withCounts(countsOf(records), earlier.counts))}; ${acknowledged} edits, runs, results, publications, streams and builds
were answered for. Recorded ${[...dates].join(' to ')}, seeds ${seeds}, on ${machine()}${medians}

| Fault | Rounds | With findings | Answers after, median | Worst | Over ${promisedMs / 1000} s |
|---|---|---|---|---|---|
${faults.map((fault) => lineOf(fault, records, leftOut, earlier.byFault.get(fault.name))).join('\n')}
${listed([...earlier.findings, ...findingsOf(records)])}
${tail}`;
}

const listed = (findings: readonly string[]): string =>
  findings.length === 0 ? '' : `\nFindings, the first of each round:\n\n${findings.join('\n')}\n`;

const head = `# What the service survives

Written by \`npm run test:faults -- --rounds N --seed S --record FILE --report docs/reliability.md\`, which counts every round that
its file of records holds.

A round is a real server with a notebook, under a load of its own: edits over REST and over the socket, cells that are edited and
run here (and, in some, on a worker behind a relay), results that are stored, named and published, tables that are streamed,
builds by a scan and by an executor; from seed 82100 on, in some, also R cells, cells that write into a mount, and packages that
are added and removed. Rows lie in SQLite or in PostgreSQL, bytes in a folder or in an object store. At a moment that
the seed draws, one fault happens and lasts up to a second and a half. Then it is lifted, and the server is started again if it
was the one that was killed. Afterwards it has to hold that

- every edit that was answered for is in the notebook and in its file, what was sent without an answer is there whole or not at all,
  and what was refused as not done is not there;
- every stored, published and built result that was called ready gives the same bytes, and every name leads to the last result that
  was answered for under it, or to one that was sent after it;
- what a cell wrote into its mount is there, and the packages that were answered for are declared and can be imported;
- no run showed anything but its value, no stream ended well with rows missing, no build goes on for ever, no request waits for ever;
- the server has not ended by itself, and nobody was answered with 500;
- a new cell runs to its value, here and on the worker, and no process of a killed server is left;
- \`svc doctor --deep\` has nothing to say.

The time until it answers is from the restart of the server, or from the end of the fault where it lived on, until the store tells
its statistics and the notebook opens. On a shared machine it is a figure, and a finding only above ten seconds.
`;

const tail = `## What is not covered

- The kernel's own killer: a limit of memory needs a control group that may be written to. The round takes the process that the kernel
  would take.
- A disk that loses what was written before it was synced: the machine itself never stops in a round.
- The object store is an emulator whose front is killed: what it holds outlives it. Google's and Azure's stores are not used.
- A disk that can only be read still takes what is written to files that were open before.
- The clock of the server jumps; those of its Python processes, of its threads and of PostgreSQL do not.
- Several servers on one PostgreSQL (\`tests/nodes.test.ts\`, \`tests/nodeClocks.test.ts\`), packages of R, other interpreters for an
  environment (\`tests/environments.crash.test.ts\`).

A round that finds something prints its seed, the command that plays it again, and where it kept everything. The moments are the
seed's, what the processes do meanwhile is not: a rare race may need several attempts.
`;

function seedsOf(records: readonly Recorded[]): string {
  const seeds = records.map(({ seed }) => seed).sort((one, other) => one - other);
  const runs: [number, number][] = [];
  for (const seed of seeds) {
    const last = runs.at(-1);
    if (last && seed <= last[1] + 1) last[1] = seed;
    else runs.push([seed, seed]);
  }
  return runs.map(([from, to]) => (from === to ? from : `${from}–${to}`)).join(', ');
}

const machine = (): string => `a machine with ${navigator.hardwareConcurrency} cores.`;

const milliseconds = (value: number | undefined): string => (value === undefined ? '' : `${Math.round(value)} ms`);

function lineOf(
  { name, says }: Fault,
  records: readonly Recorded[],
  leftOut: ReadonlyMap<string, string>,
  earlier: (Counts & { readonly worstMs: number }) | undefined,
): string {
  const own = records.filter(({ fault }) => fault === name);
  const times = own.flatMap(({ answersAfterMs }) => answersAfterMs ?? []).sort((one, other) => one - other);
  const why = leftOut.get(name);
  const { rounds, found, slow } = withCounts(countsOf(own), earlier ?? noCounts);
  const worst = Math.max(times.at(-1) ?? 0, earlier?.worstMs ?? 0);
  const cells = [
    `**${name}**: ${says}${why === undefined ? '' : ` (not on this machine: ${why})`}`,
    rounds,
    found,
    milliseconds(times[Math.floor(times.length / 2)]),
    milliseconds(worst || undefined),
    slow,
  ];
  return `| ${cells.join(' | ')} |`;
}

/** The first of each round. */
const findingsOf = (records: readonly Recorded[]): string[] =>
  records
    .filter(({ findings }) => findings.length > 0)
    .map(
      ({ seed, fault, findings: [first = ''] }) => `- seed ${seed}, ${fault}: ${first.split('\n')[0]?.slice(0, 200)}`,
    );
