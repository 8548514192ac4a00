// Who may open a socket. Host, origin, credentials, tenant, scope and session are asked in that order; a refusal is a bare HTTP status
// without a reason, so that it tells nobody which of them failed.
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  belowBasePath,
  findElsewhere,
  headerValues,
  hostCheck,
  originCheck,
  requestIdOf,
  type Services,
  wasForwarded,
} from '../http/index.ts';
import { type Caller, holds, reachesSession, type Scope, tenantFor } from '../identity/index.ts';
import type { OpenSession } from '../notebook/index.ts';
import { frameProtocol } from '../protocol/index.ts';
import { forwardSocket, type OtherServer } from './forwardSocket.ts';
import type { Hubs } from './hubs.ts';
import type { Welcome } from './welcome.ts';

/** Whoever may look on: everything that happens in a session is told to all of its sockets. */
export const socketScope: Scope = 'notebook:read';

export function acceptUpgrades(server: Server, services: Services, hubs: Hubs): void {
  const { settings, sessions } = services;
  const hostAllowed = hostCheck(settings) ?? (() => true);
  const originAllowed = originCheck(settings);
  let welcome: Promise<Welcome> | undefined;

  /** Loaded with the first socket. */
  function loadWelcome(): Promise<Welcome> {
    welcome ??= import('./welcome.ts').then(({ createWelcome }) => createWelcome(hubs));
    return welcome;
  }

  const identify = async (request: IncomingMessage, sessionId: string): Promise<Caller | undefined> => {
    const found = await services.authenticate({
      runTokenReach: undefined,
      sessionId,
      header: (name) => headerValues(request.rawHeaders, name),
    });
    if (!('caller' in found) || !holds(found.caller, socketScope)) return undefined;
    return 'refused' in tenantFor(found.caller, settings, services.tenants) ? undefined : found.caller;
  };

  async function admit(
    request: IncomingMessage,
    sessionId: string,
  ): Promise<{ caller: Caller; session: OpenSession } | undefined> {
    const caller = await identify(request, sessionId);
    const session = sessions.find(sessionId);
    return caller && session && reachesSession(caller, session) ? { caller, session } : undefined;
  }

  /** That has the session; one that nobody has goes on here. */
  async function otherServer(request: IncomingMessage, sessionId: string): Promise<OtherServer | undefined> {
    if (sessions.find(sessionId) || wasForwarded(request.headers)) return undefined;
    const caller = await identify(request, sessionId);
    const found = caller && (await findElsewhere(services, sessionId, caller));
    return found && { server: found.server, isThere: () => services.homes.isAt(found.server, found.directory) };
  }

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    if (!hostAllowed(request.headers.host)) return refuse(socket, request, '400 Bad Request');
    const target = URL.parse(belowBasePath(request.url ?? '/', settings.publicBasePath), 'http://any');
    const sessionId = /^\/v1\/notebooks\/ws\/([^/]+)$/.exec(target?.pathname ?? '')?.[1];
    if (sessionId === undefined) return refuse(socket, request, '403 Forbidden');
    const { origin, host } = request.headers;
    if (origin !== undefined && !originAllowed(origin, host)) return refuse(socket, request, '403 Forbidden');
    const open = async (): Promise<void> => {
      const other = await otherServer(request, sessionId);
      if (other !== undefined)
        return forwardSocket({ request, socket, head }, other, (status) => refuse(socket, request, status));
      const admitted = await admit(request, sessionId);
      if (!admitted) return refuse(socket, request, '403 Forbidden');
      const { caller, session } = admitted;
      const take = await loadWelcome();
      take({ request, socket, head }, session, {
        caller,
        viewer: target?.searchParams.get('role') === 'viewer',
        keepsValues: target?.searchParams.get('values') === 'keep',
        isBeating: target?.searchParams.get('heartbeat') === 'true',
        protocol: Number(target?.searchParams.get('protocol') ?? frameProtocol),
        stillValid: async () => !caller.authenticated || (await identify(request, sessionId)) !== undefined,
      });
    };
    open().catch(() => refuse(socket, request, '403 Forbidden'));
  });
}

function refuse(socket: Duplex, request: IncomingMessage, status: string): void {
  const headers = ['Content-Length: 0', `X-Request-ID: ${requestIdOf(request)}`, 'Connection: close'];
  socket.end(`HTTP/1.1 ${status}\r\n${headers.join('\r\n')}\r\n\r\n`, 'latin1');
}
