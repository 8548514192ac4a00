// Uploads and downloads: results of the store, and files beside cells.
import { storedBody } from '../../../src/protocol/index.ts';
import { placeOf } from '../../faults/load/stores.ts';
import { arrowOf } from '../../kit/executor.ts';
import type { RandomSource } from '../../kit/random.ts';
import type { Client } from '../client.ts';
import { count, type Ledger } from '../ledger.ts';
import type { LoadedNotebook } from './notebooks.ts';
import { type Person, Wrong } from './person.ts';

function form(metadata: object, data: Uint8Array): { body: Buffer; headers: Record<string, string> } {
  const head = (name: string): string =>
    `--edge\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\n\r\n`;
  const body = Buffer.concat([
    Buffer.from(`${head('metadata')}${JSON.stringify(metadata)}\r\n${head('data')}`),
    data,
    Buffer.from('\r\n--edge--\r\n'),
  ]);
  return { body, headers: { 'content-type': 'multipart/form-data; boundary=edge' } };
}

/** Stores numbers as a result, and reads the same bytes again. */
export async function storeAndRead(client: Client, value: number, rows: number): Promise<void> {
  const bytes = arrowOf(Array.from({ length: rows }, (_, at) => value + at));
  const metadata = {
    inputs: [],
    transform: { executor: 'load@v1', params: { value, rows } },
    name: `load/${value % 50}`,
  };
  const stored = await client.done('PUT', '/v1/artifacts', form(metadata, bytes));
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
