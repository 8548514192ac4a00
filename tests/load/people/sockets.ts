// Sockets of open notebooks: those that read, those that do not, and those that all go and come again at once.
import { WebSocket } from 'ws';
import type { RandomSource } from '../../kit/random.ts';
import { blame, count, type Ledger } from '../ledger.ts';
import type { LoadedNotebook } from './notebooks.ts';

export interface Sockets {
  readonly size: number;
  /** So many of those that read end without a word, and come again at the same moment; gives how long the last one waited. */
  storm(size: number, random: RandomSource): Promise<number>;
  close(): void;
}

export async function openSockets(
  address: string,
  notebooks: readonly [LoadedNotebook, ...LoadedNotebook[]],
  { reading, silent }: { readonly reading: number; readonly silent: number },
  ledger: Ledger,
): Promise<Sockets> {
  const readers: { socket: WebSocket; notebook: LoadedNotebook }[] = [];
  const silents: WebSocket[] = [];
  const leaving = new WeakSet<WebSocket>();

  /** Resolves when the state of its notebook has come, as a page asks for it. */
  const open = (notebook: LoadedNotebook): Promise<WebSocket> =>
    new Promise((resolve, reject) => {
      const place = `${address.replace(/^http/, 'ws')}/v1/notebooks/ws/${notebook.sessionId}`;
      const socket = new WebSocket(place, { headers: notebook.client.headers, perMessageDeflate: false });
      socket.on('unexpected-response', (_request, { statusCode }) => reject(new Error(`refused with ${statusCode}`)));
      socket.on('error', reject);
      socket.on('open', () => socket.send('{"type":"notebook_sync","payload":{}}'));
      socket.on('message', (data) => {
        const text = data.toString('utf8', 0, 40);
        if (text.startsWith('{"type":"notebook_state"')) resolve(socket);
        if (text.startsWith('{"type":"session_closed"'))
          blame(ledger, `A session was closed: ${/"reason":"\w+"/.exec(data.toString())?.[0]}`);
        if (text.startsWith('{"type":"error"')) blame(ledger, `A socket was told ${data.toString().slice(0, 200)}`);
        count(ledger, 'frame read');
      });
      socket.on('close', (code) => {
        if (!leaving.has(socket)) blame(ledger, `The server closed a socket with ${code}`);
        reject(new Error(`closed with ${code}`));
      });
    });

  const notebookAt = (at: number): LoadedNotebook => notebooks[at % notebooks.length] ?? notebooks[0];
  for (let at = 0; at < reading; at += 50)
    readers.push(
      ...(await Promise.all(
        Array.from({ length: Math.min(50, reading - at) }, async (_, offset) => {
          const notebook = notebookAt(at + offset);
          return { notebook, socket: await open(notebook) };
        }),
      )),
    );
  for (let at = 0; at < silent; at++) {
    const socket = await open(notebookAt(at));
    socket.pause();
    silents.push(socket);
  }

  return {
    size: readers.length + silents.length,
    async storm(size, random) {
      const gone = Array.from({ length: Math.min(size, readers.length) }, () =>
        readers.splice(random.below(readers.length), 1),
      ).flat();
      for (const { socket } of gone) {
        leaving.add(socket);
        socket.terminate();
      }
      const began = performance.now();
      await Promise.all(
        gone.map(async ({ notebook }) => {
          try {
            readers.push({ notebook, socket: await open(notebook) });
          } catch (error) {
            blame(ledger, `A socket did not come again: ${String(error)}`);
          }
        }),
      );
      count(ledger, 'storm of sockets');
      return performance.now() - began;
    },
    close() {
      for (const socket of [...silents, ...readers.map((reader) => reader.socket)]) {
        leaving.add(socket);
        socket.terminate();
      }
    },
  };
}
