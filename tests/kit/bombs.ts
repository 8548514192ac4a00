// Archives and notebooks that are small and stand for much: made to fill the memory, the disk or the time of whoever takes them in.
import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';

export const mebibyte = 1024 * 1024;

export type Members = Readonly<Record<string, Uint8Array | string>>;

export async function zipOf(members: Members): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(members)) zip.addBuffer(Buffer.from(content), name);
  zip.end();
  return buffer(zip.outputStream);
}

/** The list of members says another size of one than it has. */
export function withSize(zip: Buffer, name: string, size: number): Buffer {
  const changed = Buffer.from(zip);
  const [mark, nameAt, sizeAt] = ['PK\x01\x02', 46, 24];
  for (let at = changed.indexOf(mark); at !== -1; at = changed.indexOf(mark, at + 4))
    if (changed.toString('utf8', at + nameAt, at + nameAt + name.length) === name)
      changed.writeUInt32LE(size, at + sizeAt);
  return changed;
}

/** A notebook of Jupyter with these cells, as they stand in its JSON. */
export const jupyterOf = (cells: string): string =>
  `{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [${cells}]}`;

export const codeCell = (source: string): string =>
  `{"cell_type": "code", "metadata": {}, "outputs": [], "source": ${source}}`;

/** Something within something, that often. */
export const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
