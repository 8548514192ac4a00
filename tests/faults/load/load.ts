// A random load on one service: a handful of people and programs, each with random numbers of its own.
import { randomFrom } from '../../kit/random.ts';
import { createLedger, type Ledger, sending } from '../ledger.ts';
import type { World } from '../world.ts';
import { keepOn, type Step } from './actor.ts';
import { editOverRest, editOverSocket } from './edits.ts';
import { editAndRun } from './runs.ts';
import { store } from './stores.ts';
import { build, stream } from './tables.ts';

export interface Load {
  readonly ledger: Ledger;
  /** Nothing more is begun; resolves when everybody has their last answer, with how many have none after `patience` ms. */
  stop(patience: number): Promise<number>;
}

/** How long it may take until the last answer, once nothing is wrong any more. */
export async function startLoad(world: World): Promise<Load> {
  const ledger = createLedger();
  const { notebook, random } = world;
  const cells: string[] = [];
  for (let at = 0; at < 6; at++) {
    const source = `cell_${at} = ${at}\n`;
    const cell = await notebook.add(source);
    sending(ledger.cells, cell, source).acknowledge();
    cells.push(cell);
  }
  const [a = '', b = '', c = '', d = '', e = '', f = ''] = cells;
  const steps: Step[] = [
    editOverRest([a, b]),
    editOverSocket([c, d]),
    editAndRun(e),
    store(['first', 'second/with slash']),
    ...(world.remote ? [editAndRun(f, true)] : []),
    ...(random.below(2) === 0 ? [stream] : []),
    ...(random.below(2) === 0 ? [build] : []),
  ];
  let isOver = false;
  let numbers = random.below(1000) * 1_000_000;
  const number = (): number => {
    numbers += 1;
    return numbers;
  };
  let waiting = steps.length;
  const ended = steps.map(async (step, at) => {
    await keepOn(step, { world, ledger, number, random: randomFrom(random.seed + at + 1) }, () => isOver);
    waiting -= 1;
  });
  return {
    ledger,
    async stop(patience) {
      isOver = true;
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, patience);
      await Promise.race([promise, Promise.all(ended)]);
      clearTimeout(timer);
      return waiting;
    },
  };
}
