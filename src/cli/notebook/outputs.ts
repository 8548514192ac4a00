// `svc cell output`: the bytes of a display as a file. `svc cell pin-fetch`: the digests of what was fetched, in the source.
import fs from 'node:fs/promises';
import path from 'node:path';
import { openFetchCache, parseAnnotations, pinFetch } from '../../notebook/index.ts';
import { UsageError } from '../failure.ts';
import { writeOut } from '../outFile.ts';
import { type AnswerOptions, onTarget } from './answers.ts';
import { notebookIn } from './target.ts';

export function saveOutput(
  directory: string | undefined,
  cellId: string,
  options: AnswerOptions & { out: string; index: string },
): Promise<void> {
  const index = Number(options.index);
  if (!Number.isInteger(index)) throw new UsageError('--index: a whole number; -1 is the last');
  const file = path.resolve(options.out);
  return onTarget(directory, options, async ({ desk }) => {
    const output = await desk.output(cellId, index);
    await writeOut(file, output.bytes);
    const { size } = await fs.stat(file);
    const json = { cell_id: cellId, index: output.index, path: file, content_type: output.contentType, bytes: size };
    return { json, lines: [`${file}: ${output.contentType}, ${size} bytes`] };
  });
}

export function pinFetches(
  directory: string,
  cellId: string,
  names: readonly string[],
  options: AnswerOptions,
): Promise<void> {
  const place = notebookIn(directory);
  return onTarget(directory, options, async ({ desk, author }) => {
    let { source } = await desk.cell(cellId);
    const { fetches } = parseAnnotations(source);
    if (fetches.length === 0) throw new UsageError(`the cell ${cellId} fetches nothing`);
    const unknown = names.find((name) => !fetches.some((fetch) => fetch.name === name));
    if (unknown !== undefined)
      throw new UsageError(`the cell fetches no ${unknown}; there is ${fetches.map(({ name }) => name).join(', ')}`);
    const cache = await openFetchCache(place);
    const pinned: { name: string; url: string; sha256: string }[] = [];
    for (const { name, url } of fetches.filter((fetch) => names.length === 0 || names.includes(fetch.name))) {
      const entry = await cache.of(url);
      if (!entry) throw new UsageError(`${url} was not downloaded yet: run the cell first`);
      source = pinFetch(source, name, entry.sha256);
      pinned.push({ name, url, sha256: entry.sha256 });
    }
    await desk.edit(cellId, source, author);
    return { json: { cell: cellId, pinned }, lines: pinned.map(({ name, sha256 }) => `${name} sha256=${sha256}`) };
  });
}
