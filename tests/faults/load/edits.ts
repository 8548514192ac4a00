// Edits of cells: over REST and over the socket, each cell by one writer.
import { sending } from '../ledger.ts';
import { type Desk, type Step, saysNotDone, wasDone } from './actor.ts';

const textFor = ({ random, number }: Desk): string => {
  const value = number();
  return `text_${value} = ${value}\n# ${'abcdefghij'.repeat(random.below(random.below(8) === 0 ? 5000 : 40))}\ntext_${value}\n`;
};

export function editOverRest(cells: readonly [string, ...string[]]): Step {
  return async (desk) => {
    const { world, ledger, random } = desk;
    const cell = random.pick(cells);
    const source = textFor(desk);
    const sent = sending(ledger.cells, cell, source);
    const answer = await world.notebook.edit(cell, source);
    if (wasDone(ledger, 'edit over REST', answer)) sent.acknowledge();
    else if (saysNotDone(answer)) sent.refuse();
  };
}

export function editOverSocket(cells: readonly [string, ...string[]]): Step {
  return async (desk) => {
    const { world, ledger, random } = desk;
    const { socket } = world.notebook;
    const cell = random.pick(cells);
    const source = textFor(desk);
    const sent = sending(ledger.cells, cell, source);
    const from = socket.frames.length;
    socket.send('cell_source_update', { cell_id: cell, source });
    // Nobody else touches these cells: the next word of this one is the answer.
    const frame = await socket.frame(
      (one) =>
        socket.frames.indexOf(one, from) >= from &&
        (one.type === 'error' || (one.type === 'cell_status' && one.payload.cell_id === cell)),
    );
    const text = String(frame.payload.error ?? '');
    const status = frame.type !== 'error' ? 200 : /again/.test(text) ? 503 : 409;
    const answer = { status, headers: {}, text, json: null };
    if (wasDone(ledger, 'edit over the socket', answer)) sent.acknowledge();
    else if (saysNotDone(answer)) sent.refuse();
  };
}
