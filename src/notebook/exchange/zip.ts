// Zips as streams: written member by member as they are asked for, read member by member within limits.
import type { Member } from './bundle.ts';

/** The same members give the same bytes: they carry no time of their own. */
export async function zipOf(members: readonly Member[]): Promise<NodeJS.ReadableStream> {
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
  return zip.outputStream;
}
