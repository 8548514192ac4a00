// A random load on one service: a handful of people and programs, each with random numbers of its own.
import { cellRecord } from '../../../src/protocol/index.ts';
import { randomFrom } from '../../kit/random.ts';
import { createLedger, type Ledger, sending } from '../ledger.ts';
import { packages } from '../surroundings.ts';
import type { World } from '../world.ts';
import { keepOn, type Step } from './actor.ts';
import { editOverRest, editOverSocket } from './edits.ts';
import { changePackages } from './packages.ts';
import { editAndRun, hasR } from './runs.ts';
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
    editAndRun(e, 'here'),
    store(['first', 'second/with slash']),
    ...(world.remote ? [editAndRun(f, 'worker')] : []),
    ...(random.below(2) === 0 ? [stream] : []),
    ...(random.below(2) === 0 ? [build] : []),
  ];
  // Drawn apart, so that what the seed gives otherwise stays.
  const more = randomFrom(random.seed + steps.length * 1000);
  if (hasR && more.below(3) === 0) steps.push(editAndRun(await addRunnable(world, ledger, 'r'), 'r'));
  if (more.below(2) === 0) steps.push(editAndRun(await addRunnable(world, ledger, 'python'), 'mount'));
  if (more.below(3) === 0) {
    for (const name of packages) sending(ledger.packages, name, 'absent').acknowledge();
    steps.push(changePackages);
  }
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

async function addRunnable({ notebook }: World, ledger: Ledger, language: 'python' | 'r'): Promise<string> {
  const { id } = cellRecord.parse((await notebook.request('POST', '/cells', { language })).json);
  const source = 'more <- 1\n'.replace('<-', language === 'r' ? '<-' : '=');
  const sent = sending(ledger.cells, id, source);
  await notebook.edit(id, source);
  sent.acknowledge();
  return id;
}
