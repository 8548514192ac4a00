// Inputs of a run as files in its folder. A transport says where the bytes of one are; folders are unpacked, names of tables
// become values, and nothing gets a name that could lead out of the folder.
import fs from 'node:fs/promises';
import path from 'node:path';
import { isUnplaceable, readTar, TarInvalid } from '../bundle/index.ts';
import type { InputFile } from '../runtimes/index.ts';
import type { InputSpec, Order } from './order.ts';
import { invalid } from './refused.ts';

/** Brings the bytes of one input to `target`. */
export type Bring = (name: string, spec: InputSpec, target: string, signal: AbortSignal) => Promise<void>;

export async function bringInputs(
  order: Order,
  folder: string,
  bring: Bring,
  signal: AbortSignal,
): Promise<Record<string, InputFile>> {
  let count = 0;

  async function one(name: string, spec: InputSpec): Promise<InputFile> {
    if (spec.format === 'sweep/dict') return { contentType: spec.format, file: '', variants: await all(spec.variants) };
    // In a folder of its own: a cell may read the name of a file that it is given.
    const place = path.join(folder, String(count++));
    await fs.mkdir(place, { recursive: true });
    const file = path.join(place, spec.file);
    await bring(name, spec, file, signal);
    if (spec.format === 'dir/tar') return { contentType: 'file/path', file: await unpacked(name, file) };
    return { contentType: spec.format, file, injected: await all(spec.injected) };
  }

  async function all(specs: Readonly<Record<string, InputSpec>>): Promise<Record<string, InputFile>> {
    const files: Record<string, InputFile> = {};
    for (const [name, spec] of Object.entries(specs)) files[name] = await one(name, spec);
    return files;
  }

  await fs.mkdir(folder, { recursive: true });
  return { ...(await all(order.inputs)), ...(await tableValues(order, folder)) };
}

/** A table is known to a cell by its address and the snapshot it is pinned to. */
async function tableValues({ tables }: Order, folder: string): Promise<Record<string, InputFile>> {
  const values: Record<string, InputFile> = {};
  for (const [name, { uri, snapshot_id }] of Object.entries(tables)) {
    for (const [variable, value] of [
      [name, uri],
      [`${name}_snapshot`, snapshot_id ?? null],
    ] as const) {
      const file = path.join(folder, `table-${Object.keys(values).length}.json`);
      await fs.writeFile(file, JSON.stringify(value));
      values[variable] = { contentType: 'json/object', file };
    }
  }
  return values;
}

async function unpacked(name: string, archive: string): Promise<string> {
  const folder = archive.replace(/\.tar$/, '');
  await fs.mkdir(folder);
  const handle = await fs.open(archive);
  try {
    for await (const member of readTar(handle.readableWebStream())) {
      if (member.kind === 'directory') continue;
      const parts = member.name.split('/');
      if (member.kind !== 'file' || parts.some((part) => part === '' || part === '.' || part === '..'))
        throw new TarInvalid(`'${member.name.slice(0, 200)}' is not a plain file inside`);
      const place = path.join(folder, ...parts);
      await fs.mkdir(path.dirname(place), { recursive: true });
      await fs.writeFile(place, member.body, { flag: 'wx' });
    }
  } catch (error) {
    if (isUnplaceable(error))
      throw invalid(`The folder ${name} has a name that cannot be written here (${error.code}).`);
    throw error instanceof TarInvalid ? invalid(`The folder ${name} cannot be unpacked: ${error.message}`) : error;
  } finally {
    await handle.close();
  }
  return folder;
}
