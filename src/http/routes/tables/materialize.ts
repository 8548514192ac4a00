// `POST /v1/materialize`: find the stored result of a computation, or begin it.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import { artifactUri } from '../../../artifacts/index.ts';
import { type BuildInput, BuildRefused, reservedKeys } from '../../../builds/index.ts';
import { refusals } from '../../../errors/index.ts';
import { type Caller, holds } from '../../../identity/index.ts';
import {
  buildRefusedBody,
  detailBody,
  detailObjectBody,
  type MaterializeBody,
  materializeBody,
  materializeRequest,
} from '../../../protocol/index.ts';
import type { ScanAnswer } from '../../../tables/index.ts';
import { anyCaller, artifactWriteRefusal } from '../../access.ts';
import { acceptExactJson } from '../../exactJson.ts';
import type { App, Services } from '../../services.ts';
import { checkTable } from './access.ts';
import { queryInput } from './queryInputs.ts';

export function materializeRoutes(app: App, services: Services): void {
  const { settings, engine, tables, owners, transforms, builds, lifecycle } = services;

  const refused = {
    400: detailObjectBody,
    403: detailObjectBody,
    404: detailBody,
    413: detailBody,
    422: detailObjectBody,
    429: buildRefusedBody,
    503: detailBody,
    504: detailBody,
  };
  /** Before the body is read: a server that is going away takes no new work. */
  const takesWork = async (): Promise<void> => {
    if (lifecycle.draining.aborted) throw refusals.draining();
  };

  app.register(async (scope: App) => {
    acceptExactJson(scope);
    scope.post(
      '/v1/materialize',
      {
        config: anyCaller({ runToken: 'anywhere', besides: '`artifacts:write` where the body has a `name`' }),
        schema: {
          tags: ['core'],
          summary: 'Compute a transform over tables and artifacts, or find its stored result',
          body: materializeRequest,
          response: { 200: materializeBody, ...refused },
        },
        onRequest: takesWork,
      },
      async (request, reply) => {
        const { executor } = request.body.transform;
        return unlessRefused(reply, executor === 'scan@v1' ? materializeScan(request) : materializeQuery(request));
      },
    );
    scope.post(
      '/v1/artifacts/materialize',
      {
        config: anyCaller({ besides: '`artifacts:write` where the body has a `name`' }),
        schema: {
          tags: ['artifacts'],
          summary: 'Find the stored result of a transform, or begin to build it',
          body: materializeRequest,
          response: { 200: materializeBody, ...refused },
        },
        onRequest: takesWork,
      },
      async (request, reply) => unlessRefused(reply, materializeQuery(request)),
    );
  });

  type Request = Pick<FastifyRequest<{ Body: z.output<typeof materializeRequest> }>, 'body' | 'caller' | 'tenant'>;

  async function materializeScan(request: Request & FastifyRequest): Promise<MaterializeBody> {
    const { inputs, transform, name, mode, refresh } = request.body;
    const uri = scanInput(inputs);
    if (name) mayWrite(request);
    const address = checkTable(services, request.caller, uri);
    needsEngine();
    const wanted = mode === 'stream' ? 'stream' : 'artifact';
    const answer = await tables.scans.order({
      address,
      params: transform.params,
      name: name || null,
      mode: wanted,
      refresh,
      ...askerOf(request.caller, request.tenant),
    });
    if (answer.kind === 'stream') await owners.claim(answer.stream.id, settings.streamStateTtlSeconds);
    return bodyOf(answer, wanted);
  }

  async function materializeQuery(request: Request & FastifyRequest): Promise<MaterializeBody> {
    const { inputs, transform, name, refresh } = request.body;
    const { executor, params } = transform;
    const reserved = reservedKeys(params);
    if (reserved.length > 0) throw refusals.reservedParams(reserved);
    const offered = transforms.find(executor);
    if (!offered) throw transformRefused(executor);
    const { requiresScope: scope } = offered;
    if (scope !== null && !holds(request.caller, scope)) throw refusals.transformScopeMissing(executor, scope);
    if (name) mayWrite(request);
    if (!builds) throw refusals.noArtifactStore();
    if (offered.executorUrl === null || inputs.some((uri) => !uri.startsWith('svc://'))) needsEngine();
    const resolved: BuildInput[] = [];
    for (const uri of inputs) resolved.push(await queryInput(services, request.caller, uri));
    const answer = await builds.order({
      executor,
      offered,
      params,
      inputs: resolved,
      name: name || null,
      refresh,
      pool: request.tenant,
      tenant: request.caller.tenant ?? '',
      principal: request.caller.principal,
    });
    if ('hit' in answer) return { ...nothing, hit: true, state: 'ready', artifact_uri: artifactUri(answer.hit) };
    const { id, target } = answer.build;
    return { ...nothing, artifact_uri: artifactUri(target), state: 'pending', build_id: id };
  }

  /** A name is a write. */
  function mayWrite({ caller }: Request): void {
    const refusal = artifactWriteRefusal(caller, settings);
    if (refusal) throw refusal;
  }

  /** Nothing is begun that could not go on: until its environment is there, whoever asks is told to come back. */
  function needsEngine(): void {
    const state = engine.current();
    if (state.state !== 'ready') throw refusals.engineNotReady(state.reason);
  }

  function transformRefused(executor: string): Error {
    return settings.deploymentMode === 'service'
      ? refusals.transformNotAllowed(executor)
      : refusals.transformUnknown(executor, transforms.refs);
  }
}

/** No place for a build is told in a body of its own. */
async function unlessRefused(
  reply: FastifyReply,
  work: Promise<MaterializeBody>,
): Promise<MaterializeBody | FastifyReply> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof BuildRefused)) throw error;
    return reply.code(429).header('retry-after', String(error.retryAfterSeconds)).send(error.body);
  }
}

const askerOf = (caller: Caller, tenant: string) => ({
  tenant,
  storeTenant: caller.tenant ?? '',
  principal: caller.principal,
});

function scanInput(inputs: readonly string[]): string {
  const [uri, ...more] = inputs;
  if (uri === undefined || more.length > 0) throw refusals.scanNeedsOneInput();
  if (uri.startsWith('svc://')) throw refusals.scanInputIsArtifact();
  return uri;
}

const nothing: MaterializeBody = {
  hit: false,
  artifact_uri: null,
  state: 'building',
  build_spec: null,
  build_id: null,
  stream_id: null,
  stream_url: null,
};

function bodyOf(answer: ScanAnswer, mode: 'stream' | 'artifact'): MaterializeBody {
  if (answer.kind === 'hit') {
    const { id, version } = answer.version;
    const url = mode === 'stream' ? `/v1/artifacts/${encodeURIComponent(id)}/v/${version}/data` : null;
    return { ...nothing, hit: true, state: 'ready', artifact_uri: artifactUri(answer.version), stream_url: url };
  }
  const { id, run } = answer.stream;
  const uri = run.version ? artifactUri(run.version) : null;
  return answer.kind === 'stream'
    ? { ...nothing, artifact_uri: uri, stream_id: id, stream_url: `/v1/streams/${id}` }
    : { ...nothing, artifact_uri: uri, state: 'pending', build_id: id };
}
