// Zips as streams: written member by member as they are asked for, read member by member within limits.
import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { Member } from './member.ts';

/** The same members give the same bytes: they carry no time of their own. */
export async function zipOf(members: readonly Member[]): Promise<Readable> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const options = { mtime: new Date(Date.UTC(1980, 0, 1, 12)), mode: 0o100644 };
  const names = new Set<string>();
  for (const { name, content } of members) {
    if (names.has(name)) continue;
    names.add(name);
    if ('text' in content) zip.addBuffer(Buffer.from(content.text), name, options);
    else zip.addFile(content.file, name, { ...options, compress: !/\.(png|svg|parquet|zip)$/.test(name) });
  }
  zip.end();
  const stream = new PassThrough();
  // A file that went away ends the download, and nothing else.
  zip.on('error', (error) => stream.destroy(error instanceof Error ? error : new Error(String(error))));
  pipeline(zip.outputStream, stream, () => {});
  return stream;
}
