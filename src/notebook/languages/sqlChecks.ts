// What is wrong with a SQL cell before any database is asked: the connection that it names, and statements it may not send.
import type { Description } from '../../sql/index.ts';
import type { Annotations } from '../annotations/index.ts';
import { knownDrivers } from '../connections/index.ts';
import type { Connection, Notebook } from '../document/index.ts';
import { CellRefused } from './language.ts';

export function namedConnection(notebook: Notebook, { sql }: Annotations): Connection {
  const name = sql?.connection ?? null;
  if (name === null)
    throw new CellRefused(
      'SqlConnectionMissing',
      'The cell names no connection: begin it with # @sql connection=<name>.',
    );
  const malformed = notebook.malformedConnections.find((one) => one.name === name);
  if (malformed)
    throw new CellRefused('ConnectionMalformed', `[connections.${name}] cannot be used: ${malformed.error}`);
  const found = notebook.connections.find((one) => one.name === name);
  if (!found)
    throw new CellRefused(
      'SqlConnectionUnknown',
      `Connection '${name}' is not declared: add a [connections.${name}] block with driver = one of ${knownDrivers.join(', ')}.`,
    );
  return found;
}

const otherFiles: ReadonlySet<string> = new Set(['ATTACH', 'DETACH', 'VACUUM']);

/** Throws CellRefused for statements that the cell may not send. */
export function checkStatements(
  { statements, problem }: Description,
  { write, confined, driver }: { readonly write: boolean; readonly confined: boolean; readonly driver: string },
): void {
  const mustParse = !write || (confined && driver === 'sqlite');
  if (problem !== null && mustParse) throw new CellRefused('SqlParseError', `SQL parse error: ${problem}`);
  const changes = write ? undefined : statements.find(({ reads }) => !reads);
  if (changes)
    throw new CellRefused(
      'SqlReadOnly',
      `${changes.kind} is not a read: a SQL cell only reads unless it says # @sql connection=<name> write=true.`,
    );
  const escapes = write && confined && driver === 'sqlite' && statements.find(({ kind }) => otherFiles.has(kind));
  if (escapes) throw new CellRefused('SqlForbidden', `${escapes.kind} is not allowed on this server.`);
}
