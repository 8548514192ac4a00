// Starts a server and stops it again. Stopping waits for what is running, within a limit, and then closes everything.
import type { AddressInfo } from 'node:net';
import { createFront } from '../http/index.ts';
import type { Settings } from '../settings/index.ts';
import { acceptUpgrades } from '../ws/index.ts';
import { createServices } from './services.ts';

export interface RunningServer {
  /** Where it can be reached, as a URL without a final slash. */
  readonly address: string;
  stop(): Promise<void>;
}

const drainMilliseconds = 30_000;
/** Connections that the system keeps until the loop takes them, where it keeps so many; for more than these it lets clients wait seconds. */
const backlog = 4096;

export async function startServer(settings: Settings): Promise<RunningServer> {
  const services = await createServices(settings);
  const app = createFront(services);
  acceptUpgrades(app.server, services, services.hubs);
  try {
    await app.listen({ host: settings.host, port: settings.port, backlog });
  } catch (error) {
    await services.close();
    throw error instanceof Error ? listenProblem(error, settings) : error;
  }
  const address = addressOf(app.server.address(), settings);
  services.served(address);
  services.log.debug('Serving', { address });
  return {
    address,
    async stop() {
      if (services.homes.areSeveral) await letCellsEnd(services);
      await services.sessions.closeAll('shutdown');
      const outcome = await services.lifecycle.drain(drainMilliseconds);
      if (outcome === 'cut short') {
        services.log.warning('Some requests did not finish in time and were cut off');
        app.server.closeAllConnections();
      }
      await app.close();
      await services.close();
    },
  };
}

/** Others go on with the notebooks: nobody's cell need be cut short. */
async function letCellsEnd({ lifecycle, sessions }: Awaited<ReturnType<typeof createServices>>): Promise<void> {
  await lifecycle.drain(drainMilliseconds);
  await Promise.all(sessions.list().map(({ live }) => live.runner.rest(drainMilliseconds)));
}

function addressOf(bound: AddressInfo | string | null, settings: Settings): string {
  const port = typeof bound === 'object' && bound !== null ? bound.port : settings.port;
  const host = settings.host.includes(':') ? `[${settings.host}]` : settings.host;
  return `http://${host}:${port}${settings.publicBasePath}`;
}

function listenProblem(error: Error, { host, port }: Settings): Error {
  const code = 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') {
    return new Error(`Port ${port} is taken. Stop what uses it, or choose another: SVC_PORT=${port + 1} npm start`);
  }
  if (code === 'EACCES') return new Error(`Port ${port} needs privileges. Choose one above 1023 with SVC_PORT.`);
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return new Error(`This machine has no address '${host}'. Set SVC_HOST to one it has, or leave it out.`);
  }
  return error;
}
