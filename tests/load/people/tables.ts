// Clients that scan a table: most read as fast as it comes, some slowly.
import { tableFromIPC } from '@uwdata/flechette';
import { materializeBody } from '../../../src/protocol/index.ts';
import type { RandomSource } from '../../kit/random.ts';
import type { Client } from '../client.ts';
import { count, type Ledger } from '../ledger.ts';
import { tableRows } from '../place.ts';
import { type Person, Wrong } from './person.ts';

/** Rows of a scan that leaves out all below `from`. */
export async function scan(client: Client, uri: string, from: number, bytesPerSecond?: number): Promise<number> {
  const params = { columns: ['n'], filters: [{ column: 'n', op: '>=', value: from }] };
  const json = { inputs: [uri], transform: { executor: 'scan@v1', params } };
  const ordered = await client.done('POST', '/v1/materialize', { json });
  const { stream_url } = materializeBody.parse(JSON.parse(ordered.bytes.toString()));
  const slowly = bytesPerSecond === undefined ? {} : { bytesPerSecond };
  const { bytes } = await client.done('GET', String(stream_url), slowly);
  return tableFromIPC(bytes).numRows;
}

export function scanner(client: Client, uri: string, ledger: Ledger, random: RandomSource): Person {
  return {
    random,
    thinks: [2000, 8000],
    async step() {
      const from = random.below(tableRows);
      const rows = await scan(client, uri, from);
      if (rows !== tableRows - from) throw new Wrong(`A stream of ${tableRows - from} rows ended with ${rows}`);
      count(ledger, 'scan');
    },
  };
}

/** Takes several seconds for what others read at once. */
export function slowReader(client: Client, uri: string, ledger: Ledger, random: RandomSource): Person {
  return {
    random,
    thinks: [0, 1000],
    async step() {
      const rows = await scan(client, uri, 0, 40_000);
      if (rows !== tableRows) throw new Wrong(`A stream of ${tableRows} rows that was read slowly ended with ${rows}`);
      count(ledger, 'scan read slowly');
    },
  };
}
