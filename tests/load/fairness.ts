// One tenant that works quietly, and one that floods: what the quiet one waits without the flood and with it.
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './client.ts';
import { blame, count, type Ledger, medianOf, percentileOf } from './ledger.ts';
import type { LoadedNotebook } from './people/notebooks.ts';
import { scan } from './people/tables.ts';
import { tableRows } from './place.ts';

/** What the quiet tenant waited in one turn, which is all with the flood or all without it. */
interface Turn {
  readonly flooded: boolean;
  readonly waits: ReadonlyMap<string, number[]>;
}

export interface Waits {
  readonly calm: readonly number[];
  readonly flooded: readonly number[];
}

/** How much longer the quiet tenant waits, all kinds alike: 0.2 is a fifth. */
export interface Cost {
  /** By each pair of turns that follow each other; what the machine does meanwhile is much the same in both. */
  readonly pairs: readonly number[];
  /** The middle of them. */
  readonly median: number;
  /** Of the slowest twentieth of all answers, by all turns together. */
  readonly p95: number;
}

export interface Fairness {
  /** By what was asked. */
  readonly waits: ReadonlyMap<string, Waits>;
  readonly cost: Cost;
  /** What the quiet tenant was refused: with the flood, and without. */
  readonly refused: { readonly calm: number; readonly flooded: number };
}

export interface Quiet {
  end(): Promise<Fairness>;
}

/** The turn that it is, by number. */
type Now = () => { readonly turn: number; readonly flooded: boolean };

/** Asks for one thing after the other, a few a second, as long as the load lasts. */
export function workQuietly(notebook: LoadedNotebook, uri: string, now: Now, ledger: Ledger): Quiet {
  const { client, base } = notebook;
  const kinds: Readonly<Record<string, () => Promise<unknown>>> = {
    'names of the store': () => client.done('GET', '/v1/names'),
    'cells of a notebook': () => client.done('GET', `${base}/cells`),
    'small scan': () => scan(client, uri, tableRows - 100),
  };
  const turns = new Map<number, Turn>();
  const refused = { calm: 0, flooded: 0 };
  const waitsOf = (turn: number, flooded: boolean, kind: string): number[] => {
    const found = turns.get(turn) ?? { flooded, waits: new Map(Object.keys(kinds).map((one) => [one, []])) };
    turns.set(turn, found);
    return found.waits.get(kind) ?? [];
  };
  let isOver = false;
  const working = (async () => {
    while (!isOver)
      for (const [kind, ask] of Object.entries(kinds)) {
        const { turn, flooded } = now();
        const [began, refusals] = [performance.now(), client.refusals()];
        try {
          await ask();
          // One that began in another turn says nothing.
          if (now().turn === turn) waitsOf(turn, flooded, kind).push(performance.now() - began);
        } catch (error) {
          if (!isOver) blame(ledger, `The quiet tenant: ${String(error)}`);
        }
        refused[flooded ? 'flooded' : 'calm'] += client.refusals() - refusals;
        await pause(60);
      }
  })();
  return {
    async end() {
      isOver = true;
      await working;
      return { ...fairnessOf([...turns.values()], Object.keys(kinds)), refused };
    },
  };
}

export function fairnessOf(turns: readonly Turn[], kinds: readonly string[]): Omit<Fairness, 'refused'> {
  const all = (flooded: boolean, kind: string): number[] =>
    turns.filter((turn) => turn.flooded === flooded).flatMap((turn) => turn.waits.get(kind) ?? []);
  const waits = new Map(kinds.map((kind) => [kind, { calm: all(false, kind), flooded: all(true, kind) }]));
  const pairs = turns.flatMap((turn, at) => {
    const before = turns[at - 1];
    if (!turn.flooded || !before || before.flooded) return [];
    const ratios = kinds.map((kind) => medianOf(turn.waits.get(kind) ?? []) / medianOf(before.waits.get(kind) ?? []));
    return ratios.every((ratio) => ratio > 0 && ratio < Number.POSITIVE_INFINITY) ? [meanOf(ratios) - 1] : [];
  });
  const p95 = [...waits.values()].map(({ calm, flooded }) => percentileOf(flooded, 95) / percentileOf(calm, 95));
  return { waits, cost: { pairs, median: medianOf(pairs), p95: meanOf(p95) - 1 } };
}

/** The geometric mean: no kind counts for more because it takes longer. */
const meanOf = (ratios: readonly number[]): number =>
  Math.exp(ratios.reduce((sum, ratio) => sum + Math.log(ratio), 0) / ratios.length);

export interface Flood {
  turn(on: boolean): void;
  end(): Promise<void>;
}

/** So many of the flood wait for their answers at a time. */
const mostUnderWay = 500;
/** Would have been sent, had it not waited for all those before. */
export const heldBack = `of the flood: not sent, as ${mostUnderWay} wait`;

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
  let sentAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    // By the clock: a machine that is crowded wakes nobody in time.
    const due = isOn ? Math.round(((now - sentAt) * perSecond) / 1000) : 0;
    sentAt = now;
    for (let more = due; more > 0; more--) {
      if (under.size >= mostUnderWay) {
        count(ledger, heldBack);
        continue;
      }
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
