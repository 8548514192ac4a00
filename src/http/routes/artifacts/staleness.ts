// Would a computation be a hit, and has anything that a named result was made from changed since? Nothing is run or stored.
import { z } from 'zod';
import {
  type Artifacts,
  type ArtifactVersion,
  artifactUri,
  recordedInputs,
  transformHash,
  transformSpec,
} from '../../../artifacts/index.ts';
import { Refusal, refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import { type changedInput, detailBody, explainBody, explainRequest, nameStatusBody } from '../../../protocol/index.ts';
import { anyCaller } from '../../access.ts';
import { acceptExactJson } from '../../exactJson.ts';
import { teamRelay } from '../../plugins/teamRelay.ts';
import type { App, Services } from '../../services.ts';
import { checkTable } from '../tables/access.ts';
import { actorOf, nameParams, storeOf } from './gates.ts';
import { resolveInput } from './inputs.ts';

const tags = ['artifacts'];

type ChangedInput = z.infer<typeof changedInput>;

export function stalenessRoutes(app: App, services: Services): void {
  app.register(async (scope: App) => {
    acceptExactJson(scope);
    scope.post(
      '/v1/artifacts/explain-materialize',
      {
        config: anyCaller(),
        schema: {
          tags,
          summary: 'Whether a computation would be a hit, and why not',
          body: explainRequest,
          response: { 200: explainBody, 404: detailBody },
        },
      },
      async ({ body, caller }) => {
        const store = storeOf(services);
        const { tenant } = actorOf(caller);
        const resolved: Record<string, string> = {};
        for (const uri of body.inputs) resolved[uri] = await explained(services, store, caller, uri);
        const known = await knownResult(services, store, tenant, body, resolved);
        if (known) return { ...answer(known, [], resolved), would_hit: true, would_build: false };
        const named = body.name === null ? undefined : await namedVersion(store, tenant, body.name);
        const changed = named ? changes(named, (uri) => resolved[uri]) : [];
        return { ...answer(named, changed, resolved), would_hit: false, would_build: true };
      },
    );
  });

  app.get(
    '/v1/artifacts/names/*',
    {
      config: anyCaller(),
      preHandler: teamRelay(services),
      schema: {
        tags,
        params: z.object({ '*': z.string() }),
        describedAs: [
          {
            url: '/v1/artifacts/names/:name/status',
            summary: 'A named version, and whether any of its inputs has a newer version',
            params: nameParams,
            response: { 200: nameStatusBody, 404: detailBody, 502: detailBody },
          },
        ],
      },
    },
    async ({ params: { '*': path }, caller }) => {
      if (!path.endsWith('/status')) throw refusals.fileNotFound();
      const name = path.slice(0, -'/status'.length);
      const store = storeOf(services);
      const { tenant } = actorOf(caller);
      const pointer = await store.names.find(tenant, name);
      const version = pointer && (await store.versions.get(pointer));
      if (!pointer || !version) throw refusals.nameNotFound(name);
      const inputs = recordedInputs(version.inputVersions);
      const now = new Map<string, string>();
      for (const { uri, version: recorded } of inputs)
        now.set(uri, recorded === uri ? uri : await resolvedNow(services, store, caller, uri).catch(unavailable));
      const changed = changes(version, (uri) => now.get(uri));
      return {
        name,
        artifact_uri: artifactUri(version),
        artifact_id: version.id,
        version: version.version,
        state: version.state,
        updated_at: pointer.updatedAt,
        input_versions: Object.fromEntries(inputs.map(({ uri, version: recorded }) => [uri, recorded])),
        is_stale: changed.length > 0,
        stale_reason: reasonOf(changed),
        changed_inputs: changed.length === 0 ? null : changed,
      };
    },
  );
}

/** What an input stands for now, tables included; refuses what stands for nothing. */
async function resolvedNow(services: Services, store: Artifacts, caller: Caller, uri: string): Promise<string> {
  const found = await resolveInput(store, actorOf(caller).tenant, uri);
  if (found !== undefined) return found;
  if (uri.startsWith('svc://')) throw refusals.inputUnresolved(uri);
  return services.tables.scans.inputVersion(checkTable(services, caller, uri), caller.tenant ?? '');
}

function unavailable(error: unknown): string {
  if (error instanceof Refusal) return '<unavailable>';
  throw error;
}

/** What cannot be resolved stands for its error, which no stored result was made from. */
async function explained(services: Services, store: Artifacts, caller: Caller, uri: string): Promise<string> {
  try {
    return await resolvedNow(services, store, caller, uri);
  } catch (error) {
    if (error instanceof Refusal) return `<error: ${error.message}>`;
    throw error;
  }
}

/** Scans are known by what they read, other computations by their inputs. */
async function knownResult(
  { tables }: Services,
  store: Artifacts,
  tenant: string,
  { inputs, transform }: z.infer<typeof explainRequest>,
  resolved: Record<string, string>,
): Promise<ArtifactVersion | undefined> {
  if (Object.values(resolved).some((version) => version.startsWith('<error: '))) return undefined;
  const [table] = inputs;
  if (transform.executor === 'scan@v1' && table !== undefined && inputs.length === 1) {
    const provenance = await tables.scans.provenance({
      address: tables.planner.address(table),
      params: transform.params,
      tenant,
    });
    return provenance === undefined ? undefined : store.versions.ready(tenant, provenance);
  }
  return store.versions.ready(tenant, transformHash(transformSpec({ ...transform, inputs }), resolved));
}

async function namedVersion(store: Artifacts, tenant: string, name: string): Promise<ArtifactVersion | undefined> {
  const pointer = await store.names.find(tenant, name);
  return pointer && store.versions.get(pointer);
}

/** Only inputs that both know are compared. */
function changes(version: ArtifactVersion, now: (uri: string) => string | undefined): ChangedInput[] {
  return recordedInputs(version.inputVersions).flatMap(({ uri, version: before }) => {
    const after = now(uri);
    return after === undefined || after === before ? [] : [{ input_uri: uri, old_version: before, new_version: after }];
  });
}

const reasonOf = (changed: readonly ChangedInput[]): string | null =>
  changed.length === 0
    ? null
    : `Rebuild needed: ${changed.map((one) => `${one.input_uri}: ${one.old_version} → ${one.new_version}`).join('; ')}`;

function answer(
  version: ArtifactVersion | undefined,
  changed: readonly ChangedInput[],
  resolved: Record<string, string>,
) {
  return {
    artifact_uri: version ? artifactUri(version) : null,
    is_stale: changed.length > 0,
    stale_reason: reasonOf(changed),
    changed_inputs: changed.length === 0 ? null : [...changed],
    resolved_input_versions: resolved,
  };
}
