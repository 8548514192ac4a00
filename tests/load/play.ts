// One load from start to end: what is there, who works with it, when the flood and the storms come, and what it all gave.
import { setTimeout as pause } from 'node:timers/promises';
import { randomFrom } from '../kit/random.ts';
import { type Client, createClient } from './client.ts';
import { type Documented, readDocumented } from './documented.ts';
import { type Fairness, flood } from './fairness.ts';
import { createLedger, type Ledger, percentileOf } from './ledger.ts';
import { type Measured, measure } from './measure.ts';
import { uploader } from './people/bytes.ts';
import { createLoaded, editor, environmentReady, type LoadedNotebook, runner } from './people/notebooks.ts';
import { keepOn, type Person } from './people/person.ts';
import { openSockets } from './people/sockets.ts';
import { scanner, slowReader } from './people/tables.ts';
import { openPlace } from './place.ts';
import { startQuiet } from './quietProcess.ts';
import type { Scale, Timing } from './scale.ts';

export interface Outcome {
  readonly seed: number;
  readonly scale: Scale;
  readonly timing: Timing;
  readonly measured: Measured;
  readonly fairness: Fairness;
  readonly stormsP50Ms: number;
  readonly stormsMaxMs: number;
  readonly counts: ReadonlyMap<string, number>;
  /** What no load excuses. */
  readonly findings: readonly string[];
  readonly leftOut: readonly string[];
}

const tenants = 8;

export async function playLoad(
  { scale, timing, seed }: { readonly scale: Scale; readonly timing: Timing; readonly seed: number },
  say: (text: string) => void,
): Promise<Outcome> {
  const random = randomFrom(seed);
  const ledger = createLedger();
  const over = new AbortController();
  await using place = await openPlace(scale);
  const { server, warehouse } = place;
  let documented: Documented | undefined;
  const clients: Client[] = [];
  const clientOf = (tenant: string, principal: string): Client => {
    const client = createClient({
      address: server.address,
      tenant,
      principal,
      ledger,
      documented: () => documented,
      isOver: () => over.signal.aborted,
    });
    clients.push(client);
    return client;
  };
  const uri = warehouse.uri('rows');
  const quiet = clientOf('quiet', 'quentin');
  documented = await readDocumented(server.rest, quiet.headers, server.address);

  say(`${scale.notebooks} notebooks are made`);
  const quietNotebook = await createLoaded(quiet, 'Quiet');
  const first = await createLoaded(clientOf('t0', 'p0'), 'Loaded 0');
  const notebooks: [LoadedNotebook, ...LoadedNotebook[]] = [first];
  for (let at = 1; at < scale.notebooks; at++)
    notebooks.push(await createLoaded(clientOf(`t${at % tenants}`, `p${at}`), `Loaded ${at}`));
  if (place.withoutCells === undefined) for (const one of notebooks.slice(0, scale.cells)) await environmentReady(one);

  say(`${scale.sockets} sockets are opened`);
  const silent = scale.slowReaders;
  const sockets = await openSockets(server.address, notebooks, { reading: scale.sockets - silent, silent }, ledger);

  const people = peopleOf({
    scale,
    notebooks,
    uri,
    ledger,
    clientOf,
    withCells: place.withoutCells === undefined,
    seed,
  });
  const measuring = measure(server, place.loopFile);
  const floods = flood([clientOf('flood', 'f0'), clientOf('flood', 'f1')], uri, scale.floodPerSecond, ledger);
  const working = people.map((person) => keepOn(person, ledger, over.signal));
  const storms: number[] = [];
  const storming = (async () => {
    while (!over.signal.aborted) {
      await pause(timing.stormSeconds * 1000, undefined, { signal: over.signal }).catch(() => {});
      if (!over.signal.aborted) storms.push(await sockets.storm(scale.storm, random));
    }
  })();

  say(`${people.length} work; it warms up for ${Math.round(timing.warmUpSeconds)} s`);
  await pause(timing.warmUpSeconds * 1000);
  measuring.begin();
  const { address } = server;
  const quietly = await startQuiet(
    { address, tenant: 'quiet', principal: 'quentin', notebook: quietNotebook, uri },
    ledger,
  );
  const end = performance.now() + timing.measuredSeconds * 1000;
  for (let turn = 1; performance.now() < end; turn++) {
    const on = turn % 2 === 0;
    floods.turn(on);
    quietly.turn(turn, on);
    await pause(timing.floodSeconds * 1000);
  }
  floods.turn(false);
  const fairness = await quietly.end();
  await floods.end();
  const measured = await measuring.end();
  over.abort();
  await Promise.all([...working, storming]);
  sockets.close();
  for (const client of clients) client.close();
  return {
    seed,
    scale,
    timing,
    measured,
    fairness,
    stormsP50Ms: percentileOf(storms, 50),
    stormsMaxMs: Math.max(0, ...storms),
    counts: ledger.counts,
    findings: [...ledger.wrong].map(([what, times]) => `${times} × ${what}`),
    leftOut: place.withoutCells === undefined ? [] : [place.withoutCells],
  };
}

interface Parties {
  readonly scale: Scale;
  readonly notebooks: readonly [LoadedNotebook, ...LoadedNotebook[]];
  readonly uri: string;
  readonly ledger: Ledger;
  readonly withCells: boolean;
  readonly seed: number;
  clientOf(tenant: string, principal: string): Client;
}

function peopleOf({ scale, notebooks, uri, ledger, withCells, seed, clientOf }: Parties): Person[] {
  let drawn = 0;
  const random = () => {
    drawn += 1;
    return randomFrom(seed + drawn);
  };
  const times = <T>(length: number, make: (at: number) => T): T[] => Array.from({ length }, (_, at) => make(at));
  return [
    ...notebooks.map((notebook) => editor(notebook, ledger, random())),
    ...(withCells ? notebooks.slice(0, scale.cells).map((notebook) => runner(notebook, ledger, random())) : []),
    ...times(scale.scanClients, (at) => scanner(clientOf(`t${at % tenants}`, `s${at}`), uri, ledger, random())),
    ...times(scale.slowReaders, (at) => slowReader(clientOf(`t${at % tenants}`, `slow${at}`), uri, ledger, random())),
    ...notebooks.slice(-scale.uploaders).map((notebook) => uploader(notebook, ledger, random())),
  ];
}
