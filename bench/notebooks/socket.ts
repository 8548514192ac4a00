// The socket of a session as a stopwatch: a frame counts from the moment its bytes are here. Frames are told apart by their
// text, so that reading a large one is not part of what is measured.
import { WebSocket } from 'ws';

export interface BenchSocket {
  send(type: string, payload?: object): void;
  /** The next frame that holds all of these texts. Fails with the first that tells of an error. */
  next(...texts: readonly string[]): Promise<Arrival>;
  close(): void;
}

export interface Arrival {
  readonly at: number;
  readonly text: string;
}

export const typed = (type: string): string => `"type":"${type}"`;
export const ofCell = (cellId: string): string => `"cell_id":"${cellId}"`;
export const withStatus = (status: string): string => `"status":"${status}"`;

interface Waiting extends PromiseWithResolvers<Arrival> {
  readonly texts: readonly string[];
}

const errors = [typed('error'), typed('cell_error')];

/** As ours are written; the peer's have spaces behind their colons. */
const withoutSpaces = (frame: string): string =>
  frame.startsWith('{"type": ') ? frame.replaceAll('": ', '":') : frame;

export function openBenchSocket(port: number, sessionId: string): Promise<BenchSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/notebooks/ws/${sessionId}`);
  const waiting = new Set<Waiting>();

  function failAll(reason: string): void {
    for (const { reject } of waiting) reject(new Error(reason));
    waiting.clear();
  }

  socket.on('message', (data) => {
    const at = performance.now();
    const text = withoutSpaces(String(data));
    if (errors.some((type) => text.startsWith(`{${type}`))) return failAll(text.slice(0, 500));
    for (const one of waiting) {
      if (!one.texts.every((part) => text.includes(part))) continue;
      waiting.delete(one);
      one.resolve({ at, text });
    }
  });
  socket.on('close', () => failAll('The socket was closed'));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('open', () =>
      resolve({
        send: (type, payload = {}) => socket.send(JSON.stringify({ type, payload })),
        next(...texts) {
          const one = { texts, ...Promise.withResolvers<Arrival>() };
          waiting.add(one);
          return one.promise;
        },
        close: () => socket.close(),
      }),
    );
  });
}
