// Whether the results that a notebook keeps refer to values that are there.
import { type Flaw, parseArtifactUri, shortAddress } from '../../artifacts/index.ts';
import { number as numberOf, type Queries, text } from '../../database/index.ts';
import { type KeptResult, urisIn } from '../run/index.ts';

export async function* flawsOfResults(queries: Pick<Queries, 'all' | 'get'>): AsyncGenerator<Flaw> {
  const there = new Set(
    await queries.all('SELECT id, version FROM artifact_versions', [], (row) =>
      shortAddress({ id: text(row, 'id'), version: numberOf(row, 'version') }),
    ),
  );
  const kept = await queries.all('SELECT cell_id, provenance_hash, record FROM cell_results', [], (row) => ({
    cellId: text(row, 'cell_id'),
    key: text(row, 'provenance_hash'),
    record: text(row, 'record'),
  }));
  for (const { cellId, key, record } of kept) {
    const where = `cell ${cellId}, result ${key.slice(0, 12)}`;
    const uris = urisOf(record);
    if (!uris) {
      const remedy = 'Run the cell again: a result that cannot be read is of no use.';
      yield { level: 'problem', code: 'result_malformed', where, found: `${where}: it cannot be read`, remedy };
      continue;
    }
    const lost = uris.flatMap((uri) => parseArtifactUri(uri) ?? []).map(shortAddress);
    for (const address of lost.filter((one) => !there.has(one)))
      yield {
        level: 'problem',
        code: 'result_without_value',
        where: `${where}, ${address}`,
        found: `${where}: it refers to ${address}, which is gone`,
        remedy: 'Run the cell again, or bring the results back from a backup.',
      };
  }
}

function urisOf(record: string): string[] | undefined {
  try {
    const result: KeptResult = JSON.parse(record);
    return urisIn(result);
  } catch {
    return undefined;
  }
}
