// Uploads and downloads: results of the store, and files beside cells.
import { storedBody } from '../../../src/protocol/index.ts';
import { placeOf } from '../../faults/load/stores.ts';
import { arrowOf } from '../../kit/executor.ts';
import type { RandomSource } from '../../kit/random.ts';
import { storedForm } from '../../kit/storedForm.ts';
import type { Client } from '../client.ts';
import { count, type Ledger } from '../ledger.ts';
import type { LoadedNotebook } from './notebooks.ts';
import { type Person, Wrong } from './person.ts';

/** Stores numbers as a result, and reads the same bytes again. */
export async function storeAndRead(client: Client, value: number, rows: number): Promise<void> {
  const bytes = arrowOf(Array.from({ length: rows }, (_, at) => value + at));
  const metadata = {
    inputs: [],
    transform: { executor: 'load@v1', params: { value, rows } },
    name: `load/${value % 50}`,
  };
  const stored = await client.done('PUT', '/v1/artifacts', storedForm(metadata, bytes));
  const { artifact_uri } = storedBody.parse(JSON.parse(stored.bytes.toString()));
  const read = await client.done('GET', `${placeOf(artifact_uri)}/data`);
  if (!read.bytes.equals(bytes)) throw new Wrong('A stored result came back as other bytes');
}

export function uploader(notebook: LoadedNotebook, ledger: Ledger, random: RandomSource): Person {
  const { client, base } = notebook;
  return {
    random,
    thinks: [500, 2500],
    async step() {
      await storeAndRead(client, random.below(1_000_000_000), 1 + random.below(250_000));
      count(ledger, 'result stored and read');
      const file = Buffer.alloc(1 + random.below(2_000_000), `bytes of ${random.below(1000)} `);
      const place = `${base}/files/load-${random.below(5)}.bin`;
      await client.done('PUT', `${place}?overwrite=true`, {
        body: file,
        headers: { 'content-type': 'application/octet-stream' },
      });
      const { bytes } = await client.done('GET', place);
      if (!bytes.equals(file)) throw new Wrong('A file came back as other bytes');
      count(ledger, 'file written and read');
    },
  };
}
