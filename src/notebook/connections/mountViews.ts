// A mount as a view of DuckDB: its Parquet files, else its CSV files, else its JSON files.
import fs from 'node:fs';
import path from 'node:path';
import type { Json } from '../../engine/index.ts';
import { ConnectionRefused } from './open.ts';

const formats = {
  parquet: ['.parquet'],
  csv: ['.csv', '.csv.gz', '.tsv'],
  json: ['.json', '.jsonl', '.ndjson'],
} as const;

/** `places`: where each mount lies on this machine, a folder or a single file. */
export const mountViews = (places: Readonly<Record<string, string>>): Json =>
  Object.fromEntries(Object.entries(places).map(([name, place]) => [name, viewOf(name, place)]));

function viewOf(name: string, place: string): Json {
  const isFolder = fs.statSync(place, { throwIfNoEntry: false })?.isDirectory();
  if (isFolder === undefined) throw new ConnectionRefused(`mount '${name}' is not there`);
  for (const [format, endings] of Object.entries(formats)) {
    for (const ending of endings) {
      if (!isFolder && place.endsWith(ending)) return { root: path.dirname(place), glob: place, format };
      const pattern = `**/*${ending}`;
      if (isFolder && fs.globSync(pattern, { cwd: place })[0] !== undefined)
        return { root: place, glob: path.join(place, pattern), format };
    }
  }
  throw new ConnectionRefused(`mount '${name}' holds no Parquet, CSV or JSON files`);
}
