// Open notebooks: each with a cell that is edited, a cell that is run and a cell that is looked at.
import {
  cellRecord,
  cellsBody,
  editCellBody,
  environmentBody,
  executeBody,
  notebookState,
} from '../../../src/protocol/index.ts';
import type { RandomSource } from '../../kit/random.ts';
import { until } from '../../kit/until.ts';
import type { Client } from '../client.ts';
import { count, type Ledger } from '../ledger.ts';
import { type Person, Wrong } from './person.ts';

export interface LoadedNotebook {
  readonly client: Client;
  readonly sessionId: string;
  readonly base: string;
  readonly edited: string;
  readonly run: string;
}

const parsed = (bytes: Buffer): unknown => JSON.parse(bytes.toString());

export async function createLoaded(client: Client, name: string): Promise<LoadedNotebook> {
  const made = await client.done('POST', '/v1/notebooks/create', { json: { parent_path: '.', name } });
  const { session_id: sessionId } = notebookState.parse(parsed(made.bytes));
  const base = `/v1/notebooks/${sessionId}`;
  const cells: string[] = [];
  for (const source of ['edited = 0\n', 'import time\ntime.sleep(0)\n0\n']) {
    const { bytes } = await client.done('POST', `${base}/cells`, { json: {} });
    const { id } = cellRecord.parse(parsed(bytes));
    await client.done('PUT', `${base}/cells/${id}`, { json: { source } });
    cells.push(id);
  }
  const [edited = '', run = ''] = cells;
  return { client, sessionId, base, edited, run };
}

/** Until cells can be run in it. */
export const environmentReady = ({ client, base }: LoadedNotebook): Promise<void> =>
  until(
    async () => {
      const { bytes } = await client.done('GET', `${base}/environment`);
      return environmentBody.parse(parsed(bytes)).environment.sync_state === 'ready';
    },
    'the environment of a notebook is ready',
    { seconds: 300 },
  );

/** Writes into the cell that nobody else writes to, and finds it there. */
export function editor(notebook: LoadedNotebook, ledger: Ledger, random: RandomSource): Person {
  const { client, base, edited } = notebook;
  let number = 0;
  return {
    random,
    thinks: [4000, 12_000],
    async step() {
      number += 1;
      const source = `edited = ${number}\n# ${'text '.repeat(random.below(200))}\n`;
      const answer = await client.done('PUT', `${base}/cells/${edited}`, { json: { source } });
      if (editCellBody.parse(parsed(answer.bytes)).cell.source !== source)
        throw new Wrong('An edit was answered with another text');
      count(ledger, 'edit');
      if (random.below(3) > 0) return;
      const { bytes } = await client.done('GET', `${base}/cells`);
      const found = cellsBody.parse(parsed(bytes)).cells.find(({ id }) => id === edited);
      if (found?.source !== source) throw new Wrong('The notebook holds another text than the edit before');
      count(ledger, 'cells read');
    },
  };
}

/** Has one cell running nearly all the time; it takes from how long to how long, in milliseconds. */
export function runner(
  notebook: LoadedNotebook,
  ledger: Ledger,
  random: RandomSource,
  [shortest, longest]: readonly [number, number] = [1000, 5000],
): Person {
  const { client, base, run } = notebook;
  return {
    random,
    thinks: [0, 200],
    async step() {
      const value = random.below(1_000_000);
      const seconds = (shortest + random.below(longest - shortest)) / 1000;
      const source = `import time\ntime.sleep(${seconds})\nmade = ${value}\nmade\n`;
      await client.done('PUT', `${base}/cells/${run}`, { json: { source } });
      const { bytes } = await client.done('POST', `${base}/cells/${run}/execute?mode=normal`);
      const { status, display, error } = executeBody.parse(parsed(bytes));
      if (status !== 'ready') throw new Wrong(`A run ended as ${status}: ${error}`);
      if (display?.preview !== value) throw new Wrong(`A run showed ${JSON.stringify(display?.preview)}`);
      count(ledger, 'cell run');
    },
  };
}
