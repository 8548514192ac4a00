// A WebSocket client for tests: frames are kept in order and waited for, never slept for.
import { WebSocket } from 'ws';

export interface Frame {
  readonly type: string;
  readonly seq?: number;
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface TestSocket {
  readonly frames: readonly Frame[];
  send(type: string, payload?: object): void;
  sendText(text: string | Uint8Array): void;
  /** The first frame, past or future, that fits. */
  frame(fits: (frame: Frame) => boolean): Promise<Frame>;
  readonly closed: Promise<number>;
  close(): void;
}

/** Connects, or rejects with the HTTP status of a refused upgrade. */
export function openSocket(
  address: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<TestSocket> {
  const socket = new WebSocket(`${address.replace(/^http/, 'ws')}${path}`, { headers });
  const frames: Frame[] = [];
  const watchers = new Set<(frame: Frame) => void>();
  const closed = new Promise<number>((resolve) => socket.on('close', resolve));
  socket.on('message', (data) => {
    const frame: Frame = JSON.parse(String(data));
    frames.push(frame);
    for (const watcher of watchers) watcher(frame);
  });
  return new Promise((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => reject(new RefusedUpgrade(response.statusCode ?? 0)));
    socket.on('error', reject);
    socket.on('open', () =>
      resolve({
        frames,
        send: (type, payload = {}) => socket.send(JSON.stringify({ type, payload })),
        sendText: (text) => socket.send(text),
        frame: (fits) =>
          new Promise((found, failed) => {
            const known = frames.find(fits);
            if (known) return found(known);
            const watch = (frame: Frame): void => {
              if (!fits(frame)) return;
              watchers.delete(watch);
              found(frame);
            };
            watchers.add(watch);
            void closed.then((code) => failed(new Error(`The socket closed with ${code} before the frame came`)));
          }),
        closed,
        close: () => socket.close(),
      }),
    );
  });
}

export class RefusedUpgrade extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The upgrade was refused with ${status}`);
    this.status = status;
  }
}
