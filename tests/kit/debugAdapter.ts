// An editor that debugs: the client's side of the Debug Adapter Protocol, as much of it as tests need.

import { once } from 'node:events';
import net from 'node:net';

export interface Editor extends Disposable {
  /** The body of the answer; rejects with its message when it was refused. */
  request(command: string, body?: object): Promise<Record<string, unknown>>;
  /** The body of the first event of this name that nobody has taken yet, past or future. */
  event(name: string): Promise<Record<string, unknown>>;
  /** Resolves when the other side has closed. */
  readonly closed: Promise<unknown>;
}

interface Message {
  readonly type: string;
  readonly event?: string;
  readonly request_seq?: number;
  readonly success?: boolean;
  readonly message?: string;
  readonly body?: Record<string, unknown>;
}

/** Attaches as an editor does that has `{"request": "attach", "justMyCode": false}` in its configuration. */
export async function attachEditor(address: string): Promise<Editor> {
  const [host = '', port] = address.split(':');
  const socket = net.connect(Number(port), host);
  await once(socket, 'connect');
  let held = Buffer.alloc(0);
  let number = 0;
  const answers = new Map<number, PromiseWithResolvers<Record<string, unknown>>>();
  const events: Message[] = [];
  const waiting = new Set<() => void>();

  function take(message: Message): void {
    if (message.type === 'event') {
      events.push(message);
      for (const look of [...waiting]) look();
    } else if (message.type === 'response') {
      const asked = answers.get(message.request_seq ?? 0);
      if (message.success) asked?.resolve(message.body ?? {});
      else asked?.reject(new Error(message.message));
    }
  }

  socket.on('data', (data: Buffer) => {
    held = Buffer.concat([held, data]);
    for (;;) {
      const end = held.indexOf('\r\n\r\n');
      const length = Number(/Content-Length: (\d+)/i.exec(held.toString('latin1', 0, Math.max(end, 0)))?.[1]);
      if (end < 0 || held.length < end + 4 + length) return;
      const body = held.toString('utf8', end + 4, end + 4 + length);
      held = held.subarray(end + 4 + length);
      take(JSON.parse(body));
    }
  });
  socket.on('error', () => {});

  const editor: Editor = {
    closed: once(socket, 'close'),
    request(command, body = {}) {
      number += 1;
      const asked = Promise.withResolvers<Record<string, unknown>>();
      answers.set(number, asked);
      const text = JSON.stringify({ seq: number, type: 'request', command, arguments: body });
      socket.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
      return asked.promise;
    },
    event(name) {
      const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
      function look(): void {
        const at = events.findIndex((one) => one.event === name);
        if (at < 0) return;
        waiting.delete(look);
        resolve(events.splice(at, 1)[0]?.body ?? {});
      }
      waiting.add(look);
      look();
      return promise;
    },
    [Symbol.dispose]: () => socket.destroy(),
  };
  await editor.request('initialize', { adapterID: 'debugpy', clientID: 'test', pathFormat: 'path' });
  const attached = editor.request('attach', { justMyCode: false });
  await editor.event('initialized');
  await editor.request('configurationDone');
  await attached;
  return editor;
}
