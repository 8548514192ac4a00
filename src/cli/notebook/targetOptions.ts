// What commands on notebooks have in common: how they print, and whom they speak to.
import type { Command } from 'commander';
import { UsageError } from '../failure.ts';
import type { TargetOptions } from './target.ts';

export const printed = (command: Command, format: 'human' | 'json'): Command =>
  command.option('--format <format>', 'human or json', format);

/** A directory, or a session of a server. */
export const onTarget = (command: Command): Command =>
  printed(command, 'json')
    .option('--server <url>', 'drive a session of this server instead')
    .option('--session <id>', 'which session')
    .option('--author <name>', 'who is credited with changes');

export const collect = (value: string, before: string[]): string[] => [...before, value];

/** A session takes the place of the directory, so what is named then comes first. */
export function named(
  what: string,
  first: string | undefined,
  second: string | undefined,
  { server, session }: TargetOptions,
): { readonly directory: string | undefined; readonly name: string } {
  const isRemote = server !== undefined || session !== undefined;
  const [directory, name] = isRemote && second === undefined ? [undefined, first] : [first, second];
  if (name === undefined) throw new UsageError(`name a ${what}`);
  return { directory, name };
}
