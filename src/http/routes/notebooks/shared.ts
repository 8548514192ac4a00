// What the notebook routes have in common: finding the session that the gate has let through, and the state they answer.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { notebookRoot, type OpenSession, stateRecord, toldState } from '../../../notebook/index.ts';
import type { NotebookState } from '../../../protocol/index.ts';
import { fileContent } from '../../fileContent.ts';
import type { Services } from '../../services.ts';

export const sessionParams = z.object({ session_id: z.string() });
export const cellParams = z.object({ session_id: z.string(), cell_id: z.string() });

/** Bytes to be saved, as the description of a route says it. */
export const fileAnswer = {
  description: 'The file',
  content: fileContent('application/octet-stream'),
};

/** The gate in front has already refused sessions that this caller does not reach. */
export function sessionOf({ sessions }: Services, sessionId: string): OpenSession {
  const session = sessions.find(sessionId);
  if (!session) throw refusals.notebookNotFound();
  return session;
}

export function cellOf(session: OpenSession, cellId: string): string {
  if (!session.live.session().facts.has(cellId)) throw refusals.cellNotFound();
  return cellId;
}

/** Whom an edit is said to be by: who was proven, else who says so. */
export const authorOf = (principal: string | null, declared: string | null): string =>
  principal ?? (declared?.replace(/[^\P{C}]/gu, '').trim() || 'local');

/** Tells everybody with a socket what the notebook looks like now. */
export const tellState = ({ hubs }: Services, session: OpenSession): void =>
  hubs.of(session.sessionId).broadcast('notebook_state', toldState(session));

/** What opening answers; its header says how many milliseconds it took. */
export async function openedState(
  services: Services,
  { caller }: FastifyRequest,
  reply: FastifyReply,
  session: OpenSession,
): Promise<NotebookState> {
  const state = { ...stateRecord(session), ...(await serverConfig(services, caller)) };
  reply.header('server-timing', `total;dur=${reply.elapsedTime.toFixed(1)}`);
  return state;
}

export async function serverConfig({ settings, pythons }: Services, caller: Caller) {
  const versions = (await pythons()).map(({ version }) => version);
  return {
    deployment_mode: settings.deploymentMode,
    default_parent_path: notebookRoot(settings, caller),
    available_python_versions: versions,
    default_python_version: versions[0] ?? '',
    python_selection_fixed: versions.length === 1,
    registry_enabled: true,
    team_store_configured: settings.notebookRemoteStoreUrl !== null,
    workers_panel: settings.notebookWorkersPanel,
    embed_origins: settings.embedFrameAncestors,
  };
}
