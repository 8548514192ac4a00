// A file of the notebook that is a database becomes one of its connections; it can be taken back.
import { address, connections, fileAddress, messageOf, setConnections } from '../api/index.ts';
import type { NotebookSession } from '../notebook/session.ts';
import { freeName } from './readingCode.ts';

const endings = /\.(db|sqlite3?|duckdb)$/i;

export const isDatabase = (name: string): boolean => endings.test(name);

/** Cells run in this folder; paths of connections begin where the notebook lies. */
const workFolder = 'work';

export async function connectFile(session: NotebookSession, path: string): Promise<void> {
  const { sessionId, undo, view, store } = session;
  try {
    const driver = await driverOf(sessionId, path);
    await undo.inTurn(async () => {
      const { connections: before } = await connections(sessionId);
      const stem = path.slice(path.lastIndexOf('/') + 1).replace(endings, '');
      const name = freeName(stem, new Set(before.map((one) => one.name)));
      const added = { name, driver, path: `${workFolder}/${path}` };
      await setConnections(sessionId, [...before, added]);
      // What others saved since stays.
      const others = async () => (await connections(sessionId)).connections.filter((one) => one.name !== name);
      undo.did(
        `connecting ${name}`,
        async () => setConnections(sessionId, await others()),
        async () => setConnections(sessionId, [...(await others()), added]),
      );
      store.send({ kind: 'noticed', text: `Connected as ${name}.`, tone: 'plain' });
    });
    view.send({ kind: 'panel', panel: 'settings', part: 'connections' });
  } catch (error) {
    store.send({ kind: 'noticed', text: messageOf(error), tone: 'error' });
  }
}

/** By how the file begins: its name does not tell, since both kinds are called `.db`. */
async function driverOf(sessionId: string, path: string): Promise<'sqlite' | 'duckdb'> {
  const answer = await fetch(address(fileAddress(sessionId, path)));
  const reader = answer.body?.getReader();
  const { value = new Uint8Array() } = (await reader?.read()) ?? {};
  await reader?.cancel();
  const beginning = new TextDecoder('latin1').decode(value.subarray(0, 16));
  if (beginning.startsWith('SQLite format 3')) return 'sqlite';
  if (beginning.slice(8, 12) === 'DUCK') return 'duckdb';
  // SQLite writes nothing before the first table.
  if (answer.ok && value.length === 0) return /\.duckdb$/i.test(path) ? 'duckdb' : 'sqlite';
  throw new Error(`${path} is not a database of SQLite or DuckDB.`);
}
