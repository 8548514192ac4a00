// Turns an admitted request into a socket of its session. Apart from the door that admits, because a server that nobody has
// opened a notebook on needs none of this.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { requestIdOf } from '../http/index.ts';
import type { OpenSession } from '../notebook/index.ts';
import { type ConnectionOptions, connect, type SocketSession } from './connection.ts';
import { createGrace, type Grace } from './grace.ts';
import type { Hubs } from './hubs.ts';
import { createSessionSocket } from './sessionSocket.ts';

/** Sources of a million characters in any script, with room for their escapes. */
const maxFrameBytes = 16 * 1024 * 1024;

export interface Upgrade {
  readonly request: IncomingMessage;
  readonly socket: Duplex;
  readonly head: Buffer;
}

export type Welcome = (upgrade: Upgrade, session: OpenSession, visitor: ConnectionOptions) => void;

export function createWelcome(hubs: Hubs): Welcome {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes });
  sockets.on('headers', (headers, request) => headers.push(`X-Request-ID: ${requestIdOf(request)}`));
  const handlers = new WeakMap<OpenSession, SocketSession>();
  const graces = new WeakMap<OpenSession['live'], Grace>();

  function graceOf({ live }: OpenSession): Grace {
    const known = graces.get(live);
    if (known) return known;
    const grace = createGrace({
      active: () => live.session().run.current?.number ?? null,
      stop: () => void live.runner.stop(),
      closePrompts: () => void live.closeInspectors(),
    });
    graces.set(live, grace);
    return grace;
  }

  function handlerOf(session: OpenSession): SocketSession {
    const known = handlers.get(session);
    if (known) return known;
    const handler = createSessionSocket(session, hubs.of(session.sessionId), graceOf(session));
    handlers.set(session, handler);
    return handler;
  }

  return ({ request, socket, head }, session, visitor) =>
    sockets.handleUpgrade(request, socket, head, (opened) => connect(opened, handlerOf(session), visitor));
}
