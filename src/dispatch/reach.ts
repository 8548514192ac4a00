// How workers reach the dispatcher: by TCP, or through a folder of a file system that both share.
import path from 'node:path';
import type { Duplex } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { openExchange } from '../relay/index.ts';

export interface Reach {
  /** Where workers dial in, without their name at its end. */
  readonly dial: string;
  /** Before they are started, and again by a dispatcher that finds them. */
  expect(names: readonly string[]): Promise<void>;
  forget(name: string): Promise<void>;
  close(): void;
}

export const reachByTcp = (dial: string): Reach => ({
  dial,
  expect: async () => {},
  forget: async () => {},
  close: () => {},
});

/** `found`: the workers that an earlier dispatcher started. */
export async function reachByFiles(
  folder: string,
  found: readonly string[],
  onConnection: (line: Duplex) => void,
): Promise<Reach> {
  const exchange = await openExchange(path.join(folder, 'w'), onConnection);
  await exchange.keepOnly(found);
  await exchange.expect(found);
  return { ...exchange, dial: pathToFileURL(folder).href };
}
