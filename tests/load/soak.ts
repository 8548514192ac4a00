// A server that goes on for days, in short: in each round notebooks are made, opened, edited, run and closed, tables are scanned, results
// stored and names asked for. Then everybody leaves, and what is alive in the server is what it will never give back. After the first
// rounds that has to stay the same.
import { closeBody, notebookState } from '../../src/protocol/index.ts';
import { randomFrom } from '../kit/random.ts';
import { until } from '../kit/until.ts';
import { type Client, createClient } from './client.ts';
import { type Documented, readDocumented } from './documented.ts';
import { count, createLedger, type Ledger } from './ledger.ts';
import { readWorks, resident, slopeOf } from './measure.ts';
import { storeAndRead } from './people/bytes.ts';
import { createLoaded, editor, environmentReady, type LoadedNotebook, runner } from './people/notebooks.ts';
import { openSockets } from './people/sockets.ts';
import { scan } from './people/tables.ts';
import { openPlace, type Place, tableRows } from './place.ts';
import { smallScale } from './scale.ts';

export interface Rest {
  readonly round: number;
  readonly aliveMebibytes: number;
  readonly residentMebibytes: number;
}

export interface Soaked {
  readonly seed: number;
  /** After each round, with nobody there. */
  readonly rests: readonly Rest[];
  readonly counts: ReadonlyMap<string, number>;
  readonly findings: readonly string[];
}

export interface SoakScale {
  readonly notebooks: number;
  readonly requests: number;
  readonly scans: number;
  readonly stored: number;
  readonly runs: number;
}

/** Of a second each; the first may still be in what came before. */
const looksAtRest = 3;

export const soakScale: SoakScale = { notebooks: 12, requests: 300, scans: 40, stored: 4, runs: 20 };

/** `isOver`: asked before each round. */
export async function soak(
  { scale, seed, isOver }: { readonly scale: SoakScale; readonly seed: number; isOver(rounds: number): boolean },
  say: (text: string) => void,
): Promise<Soaked> {
  const ledger = createLedger();
  await using place = await openPlace(smallScale, { lookMilliseconds: 1000 });
  const rests: Rest[] = [];
  for (let round = 1; !isOver(rests.length); round++) {
    await playRound(place, scale, seed + round, ledger);
    const rest = { round, ...(await atRest(place)) };
    rests.push(rest);
    say(
      `round ${round}: ${rest.aliveMebibytes.toFixed(2)} MiB alive, ${rest.residentMebibytes.toFixed(0)} MiB resident`,
    );
  }
  return {
    seed,
    rests,
    counts: ledger.counts,
    findings: [...ledger.wrong].map(([what, times]) => `${times} × ${what}`),
  };
}

async function playRound({ server, warehouse, withoutCells }: Place, scale: SoakScale, seed: number, ledger: Ledger) {
  const random = randomFrom(seed);
  const clients: Client[] = [];
  let documented: Documented | undefined;
  const clientOf = (principal: string): Client => {
    const made = { address: server.address, tenant: `t${clients.length % 3}`, principal, ledger };
    const client = createClient({ ...made, documented: () => documented, isOver: () => false });
    clients.push(client);
    return client;
  };
  const asking = clientOf('anna');
  documented = await readDocumented(server.rest, asking.headers, server.address);
  const often = async (what: string, times: number, step: (at: number) => Promise<unknown>): Promise<void> => {
    for (let at = 0; at < times; at++) {
      await step(at);
      count(ledger, what);
    }
  };
  const runs = withoutCells === undefined ? scale.runs : 0;
  await Promise.all([
    often('notebook made, closed, opened, run and closed', scale.notebooks, async (at) => {
      const made = await createLoaded(clientOf(`p${seed}-${at}`), `Soaked ${seed} ${at}`);
      const sockets = await openSockets(server.address, [made], { reading: 3, silent: 0 }, ledger);
      for (let edits = 0; edits < 5; edits++) await editor(made, ledger, random).step();
      sockets.close();
      const opened = await openAgain(made, await close(made));
      const running = runner(opened, ledger, random, [0, 20]);
      // The same cell many times in one of them, and in the others once.
      for (let times = at === 0 ? runs : Math.min(runs, 1); times > 0; times--) await running.step();
      await close(opened);
    }),
    often('names asked for', scale.requests, () => asking.done('GET', '/v1/names')),
    often('scan', scale.scans, () => scan(asking, warehouse.uri('rows'), random.below(tableRows))),
    often('result stored and read', scale.stored, () =>
      storeAndRead(asking, random.below(1_000_000_000), 1 + random.below(50_000)),
    ),
  ]);
  for (const client of clients) client.close();
}

/** Gives where it lies. */
async function close(notebook: LoadedNotebook): Promise<string> {
  await environmentReady(notebook);
  const { bytes } = await notebook.client.done('POST', `${notebook.base}/close`);
  return closeBody.parse(JSON.parse(bytes.toString())).path;
}

async function openAgain(notebook: LoadedNotebook, path: string): Promise<LoadedNotebook> {
  const { bytes } = await notebook.client.done('POST', '/v1/notebooks/open', { json: { path } });
  const { session_id: sessionId } = notebookState.parse(JSON.parse(bytes.toString()));
  const opened = { ...notebook, sessionId, base: `/v1/notebooks/${sessionId}` };
  await environmentReady(opened);
  return opened;
}

/** A look falls into a time in which nothing is asked for; the scans of the last seconds are still remembered, in each round alike. */
async function atRest({ server, loopFile }: Place): Promise<Omit<Rest, 'round'>> {
  const looks = readWorks(loopFile).length + looksAtRest;
  await until(() => readWorks(loopFile).length >= looks, 'the server is looked at while it rests');
  return {
    aliveMebibytes: readWorks(loopFile).at(-1)?.mebibytes ?? 0,
    residentMebibytes: resident(server.process.pid),
  };
}

/** How much of what is alive comes to stay in a round, by the middle of all slopes; the first third is for caches to fill. */
export function perRound({ rests }: Soaked, read: (rest: Rest) => number): number {
  const later = rests.slice(Math.floor(rests.length / 3));
  return slopeOf(later.map((rest) => ({ seconds: rest.round, mebibytes: read(rest) })));
}

export function linesOfSoak(soaked: Soaked): string[] {
  const { seed, rests, counts, findings } = soaked;
  const [first, last] = [rests[0], rests.at(-1)];
  const grown = (what: string, read: (rest: Rest) => number): string =>
    `${what}: ${(perRound(soaked, read) * 1024).toFixed(0)} KiB a round; ${first && read(first).toFixed(1)} MiB after the first round, ${last && read(last).toFixed(1)} after the last`;
  return [
    `seed ${seed}, ${rests.length} rounds`,
    ...[...counts].sort().map(([what, times]) => `  ${times} × ${what}`),
    grown('alive in JavaScript with everybody gone', ({ aliveMebibytes }) => aliveMebibytes),
    grown('memory of the server', ({ residentMebibytes }) => residentMebibytes),
    ...findings.map((finding) => `✖ ${finding}`),
  ];
}

export const soakSection = 'Day after day';

export function sectionOfSoak(soaked: Soaked): string {
  const { seed, rests, counts, findings } = soaked;
  const fixed = (read: (rest: Rest) => number, rest: Rest | undefined): string =>
    rest === undefined ? '' : read(rest).toFixed(1);
  const row = (what: string, read: (rest: Rest) => number): string =>
    `| ${what} | ${fixed(read, rests[0])} MiB | ${fixed(read, rests[Math.floor(rests.length / 3)])} MiB | ${fixed(read, rests.at(-1))} MiB | ${(perRound(soaked, read) * 1024).toFixed(0)} KiB |`;
  const answered = [...counts].filter(([what]) => !/^(told|frame)/.test(what));
  return `Written by \`npm run test:load -- --soak --minutes M --seed S --report docs/reliability.md\`.

In each round notebooks are made, closed, opened again, edited, run and closed, tables scanned, results stored and names asked for. Then
everybody leaves, and what is alive is what the server would never give back. The first third of the rounds fills caches that have a bound
(4096 analysed sources, 300 plans of 64 MiB together, 10 000 callers).

Recorded ${new Date().toISOString().slice(0, 10)}, seed ${seed}, ${rests.length} rounds.

| With everybody gone | After the first round | After a third | After the last | Growth of a round after a third (median slope) |
|---|---|---|---|---|
${row('alive in JavaScript', ({ aliveMebibytes }) => aliveMebibytes)}
${row('memory of the server', ({ residentMebibytes }) => residentMebibytes)}

- Answered: ${answered.map(([what, times]) => `${times} × ${what}`).join(', ')}.
${findings.map((finding) => `- Found: ${finding.split('\n')[0]}`).join('\n')}`;
}
