// One tenant that works quietly, and one that floods: what the quiet one waits without the flood and with it.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.ts';
import { blame, count, type Ledger, medianOf } from './ledger.ts';
import type { LoadedNotebook } from './people/notebooks.ts';
import { scan } from './people/tables.ts';
import { tableRows } from './place.ts';

export interface Waits {
  readonly calm: readonly number[];
  readonly flooded: readonly number[];
}

export interface Fairness {
  /** By what was asked. */
  readonly waits: ReadonlyMap<string, Waits>;
  /** How much longer the quiet tenant waits, all kinds alike: 0.2 is a fifth. */
  readonly cost: number;
  /** What the quiet tenant was refused: with the flood, and without. */
  readonly refused: { readonly calm: number; readonly flooded: number };
}

export interface Quiet {
  end(): Promise<Fairness>;
}

/** Asks for one thing after the other, a few a second, as long as the load lasts. */
export function workQuietly(notebook: LoadedNotebook, uri: string, isFlooded: () => boolean, ledger: Ledger): Quiet {
  const { client, base } = notebook;
  const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
    'names of the store': () => client.done('GET', '/v1/names'),
    'cells of a notebook': () => client.done('GET', `${base}/cells`),
    'small scan': () => scan(client, uri, tableRows - 100),
  };
  const waits = new Map(Object.keys(kinds).map((kind) => [kind, { calm: [] as number[], flooded: [] as number[] }]));
  const refused = { calm: 0, flooded: 0 };
  let isOver = false;
  const working = (async () => {
    while (!isOver)
      for (const [kind, ask] of Object.entries(kinds)) {
        const when = isFlooded() ? 'flooded' : 'calm';
        const [began, refusals] = [performance.now(), client.refusals()];
        try {
          await ask();
          // One that began with the other kind of weather says nothing.
          if ((isFlooded() ? 'flooded' : 'calm') === when) waits.get(kind)?.[when].push(performance.now() - began);
        } catch (error) {
          if (!isOver) blame(ledger, `The quiet tenant: ${String(error)}`);
        }
        refused[when] += client.refusals() - refusals;
        await pause(60);
      }
  })();
  return {
    async end() {
      isOver = true;
      await working;
      return { waits, cost: costOf(waits), refused };
    },
  };
}

/** The geometric mean of what each kind costs more: none counts for more because it takes longer. */
export function costOf(waits: ReadonlyMap<string, Waits>): number {
  const logs = [...waits.values()].map(({ calm, flooded }) => Math.log(medianOf(flooded) / medianOf(calm)));
  return Math.exp(logs.reduce((sum, one) => sum + one, 0) / logs.length) - 1;
}

export interface Flood {
  turn(on: boolean): void;
  end(): Promise<void>;
}

/** Sends so many requests a second from all its callers, and does not heed refusals. */
export function flood(callers: readonly [Client, ...Client[]], uri: string, perSecond: number, ledger: Ledger): Flood {
  let isOn = false;
  const under = new Set<Promise<void>>();
  let at = 0;
  async function sendOne(): Promise<void> {
    at += 1;
    const client = callers[at % callers.length] ?? callers[0];
    const params = { columns: ['n'], filters: [{ column: 'n', op: '>=', value: at % tableRows }] };
    const scanning = { json: { inputs: [uri], transform: { executor: 'scan@v1', params } } };
    try {
      const { status } =
        at % 3 === 0 ? await client.ask('POST', '/v1/materialize', scanning) : await client.ask('GET', '/v1/names');
      count(ledger, `of the flood: ${status}`);
    } catch (error) {
      blame(ledger, `Of the flood: ${String(error)}`);
    }
  }
  const everyMs = 20;
  const timer = setInterval(() => {
    if (!isOn || under.size > 500) return;
    for (let more = (perSecond * everyMs) / 1000; more > 0; more--) {
      const one: Promise<void> = sendOne().finally(() => under.delete(one));
      under.add(one);
    }
  }, everyMs);
  return {
    turn(on) {
      isOn = on;
    },
    async end() {
      clearInterval(timer);
      await Promise.all(under);
    },
  };
}
