// Where a session is, on a service of several servers.
import { type Caller, reachesSession } from '../identity/index.ts';
import { HeldElsewhere } from '../nodes/index.ts';
import type { Services } from './services.ts';

/** That another server has a session. One that nobody has goes on here, for whoever it belongs to. */
export async function findElsewhere(
  { homes, sessions }: Pick<Services, 'homes' | 'sessions'>,
  sessionId: string,
  caller: Caller,
): Promise<HeldElsewhere | undefined> {
  if (!homes.areSeveral || sessions.find(sessionId)) return undefined;
  const place = await homes.find(sessionId);
  if (place === undefined) return undefined;
  const { server, directory, principal, tenant } = place;
  if (server !== undefined) return new HeldElsewhere(server, directory);
  if (caller.principal !== principal || !reachesSession(caller, { tenant: tenant ?? undefined })) return undefined;
  try {
    await sessions.revive(sessionId, directory, caller);
    return undefined;
  } catch (error) {
    // Two servers were asked at once.
    if (error instanceof HeldElsewhere) return error;
    throw error;
  }
}
