// Who may open a socket. Host, origin, credentials and session are asked in that order; a refusal is a bare HTTP status
// without a reason, so that it tells nobody which of them failed.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { belowBasePath, headerValues, hostCheck, originCheck, requestIdOf, type Services } from '../http/index.ts';
import { type Caller, reachesSession } from '../identity/index.ts';
import type { OpenSession } from '../notebook/index.ts';
import { connect, type SocketSession } from './connection.ts';
import type { Hubs } from './hubs.ts';
import { createSessionSocket } from './sessionSocket.ts';

const template = '/v1/notebooks/ws/:session_id';
/** Sources of a million characters in any script, with room for their escapes. */
const maxFrameBytes = 16 * 1024 * 1024;

export function acceptUpgrades(server: Server, services: Services, hubs: Hubs): void {
  const { settings, sessions } = services;
  const sockets = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes });
  const hostAllowed = hostCheck(settings) ?? (() => true);
  const originAllowed = originCheck(settings);
  const handlers = new WeakMap<OpenSession, SocketSession>();

  const identify = async (request: IncomingMessage, sessionId: string): Promise<Caller | undefined> => {
    const found = await services.authenticate({
      method: 'GET',
      template,
      params: { session_id: sessionId },
      header: (name) => headerValues(request.rawHeaders, name),
    });
    return 'caller' in found ? found.caller : undefined;
  };

  async function admit(
    request: IncomingMessage,
    sessionId: string,
  ): Promise<{ caller: Caller; session: OpenSession } | undefined> {
    const { origin, host } = request.headers;
    if (origin !== undefined && !originAllowed(origin, host)) return undefined;
    const caller = await identify(request, sessionId);
    const session = sessions.find(sessionId);
    return caller && session && reachesSession(caller, session) ? { caller, session } : undefined;
  }

  function handlerOf(session: OpenSession): SocketSession {
    const known = handlers.get(session);
    if (known) return known;
    const handler = createSessionSocket(session, hubs.of(session.sessionId), () => {
      session.activeAt = performance.now() / 1000;
    });
    handlers.set(session, handler);
    return handler;
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (!hostAllowed(request.headers.host)) return refuse(socket, request, '400 Bad Request');
    const target = URL.parse(belowBasePath(request.url ?? '/', settings.publicBasePath), 'http://any');
    const sessionId = /^\/v1\/notebooks\/ws\/([^/]+)$/.exec(target?.pathname ?? '')?.[1];
    if (sessionId === undefined) return refuse(socket, request, '403 Forbidden');
    admit(request, sessionId).then(
      (admitted) => {
        if (!admitted) return refuse(socket, request, '403 Forbidden');
        const { caller, session } = admitted;
        sockets.handleUpgrade(request, socket, head, (opened) =>
          connect(opened, handlerOf(session), {
            caller,
            viewer: target?.searchParams.get('role') === 'viewer',
            stillValid: async () => !caller.authenticated || (await identify(request, sessionId)) !== undefined,
          }),
        );
      },
      () => refuse(socket, request, '403 Forbidden'),
    );
  });
}

function refuse(socket: Duplex, request: IncomingMessage, status: string): void {
  const headers = ['Content-Length: 0', `X-Request-ID: ${requestIdOf(request)}`, 'Connection: close'];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1');
}
