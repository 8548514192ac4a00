// What stands in front of artifact routes: whether there is a store, whether the caller may write, and which versions are
// there for them. Another tenant's version looks like none at all, unless the settings let it be told apart.
import { z } from 'zod';
import type { Actor, ArtifactAddress, Artifacts, ArtifactVersion } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { queryInt } from '../../../protocol/index.ts';
import type { Services } from '../../services.ts';

export const versionParams = z.object({ artifact_id: z.string(), version: queryInt() });
/** A name, as the document has it; routes take what follows them whole. */
export const nameParams = z.object({ name: z.string().describe('May hold slashes, as they are or as %2F') });

export const addressIn = (params: z.infer<typeof versionParams>): ArtifactAddress => ({
  id: params.artifact_id,
  version: params.version,
});

/** For reading: a deployment without a store has nothing to be found. */
export function storeOf({ artifacts }: Services): Artifacts {
  if (!artifacts) throw refusals.artifactNotFound();
  return artifacts;
}

export function writableStore({ artifacts }: Services): Artifacts {
  if (!artifacts) throw refusals.noArtifactStore();
  return artifacts;
}

/** For decisions on queued changes, whose own scope the route asks for. */
export function writesEnabledGate({ settings }: Services) {
  return async (): Promise<void> => {
    if (settings.deploymentMode === 'service' && !settings.serviceWritesEnabled) throw refusals.writesDisabled();
  };
}

/** The tenant whose names, aliases and tags are meant; `admin:*` does not widen it. */
export const actorOf = ({ tenant, principal }: Caller): Actor => ({ tenant: tenant ?? '', principal });

/** Whose versions the caller sees beside those of no tenant; undefined sees all. */
export function tenantFilter(caller: Caller): string | undefined {
  if (!caller.authenticated || caller.scopes.has('admin:*')) return undefined;
  if (caller.tenant === null) throw refusals.tenantRequired('operations');
  return caller.tenant;
}

export const isVisible = (version: ArtifactVersion, tenant: string | undefined): boolean =>
  tenant === undefined || version.tenant === tenant || version.tenant === '';

/** The version, when it is there for this caller. */
export async function versionFor(
  services: Services,
  caller: Caller,
  address: ArtifactAddress,
): Promise<ArtifactVersion> {
  const tenant = tenantFilter(caller);
  const version = await storeOf(services).versions.get(address);
  if (!version) throw refusals.artifactNotFound();
  if (!isVisible(version, tenant)) throw refusals.artifactHidden(services.settings.hideForbiddenAsNotFound);
  return version;
}

/** One that has a result to be read. */
export async function finishedVersionFor(
  services: Services,
  caller: Caller,
  address: ArtifactAddress,
): Promise<ArtifactVersion> {
  const version = await versionFor(services, caller, address);
  if (version.state !== 'ready' && version.state !== 'superseded') throw refusals.artifactNotReady(version.state);
  return version;
}
