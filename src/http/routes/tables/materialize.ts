// `POST /v1/materialize`: find the stored result of a computation, or begin it.
import { artifactUri } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import type { Caller } from '../../../identity/index.ts';
import {
  detailBody,
  detailObjectBody,
  type MaterializeBody,
  materializeBody,
  materializeRequest,
} from '../../../protocol/index.ts';
import type { ScanAnswer } from '../../../tables/index.ts';
import { acceptExactJson } from '../../exactJson.ts';
import type { App, Services } from '../../services.ts';
import { writeGate } from '../artifacts/gates.ts';
import { checkTable } from './access.ts';

export function materializeRoutes(app: App, services: Services): void {
  const { settings, tables, lifecycle } = services;
  const mayWrite = writeGate(services);

  app.register(async (scope: App) => {
    acceptExactJson(scope);
    scope.post(
      '/v1/materialize',
      {
        schema: {
          tags: ['core'],
          summary: 'Compute a transform over tables and artifacts, or find its stored result',
          body: materializeRequest,
          response: {
            200: materializeBody,
            400: detailObjectBody,
            403: detailObjectBody,
            404: detailBody,
            413: detailBody,
            422: detailObjectBody,
            503: detailBody,
            504: detailBody,
          },
        },
        // Before the body is read: a server that is going away takes no new work.
        onRequest: async () => {
          if (lifecycle.draining.aborted) throw refusals.draining();
        },
      },
      async (request) => {
        const { inputs, transform, name, mode, refresh } = request.body;
        if (transform.executor !== 'scan@v1') throw transformRefused(transform.executor);
        const uri = scanInput(inputs);
        if (name) await mayWrite(request);
        // What names no table is refused before anybody is told whether they may read it.
        tables.planner.address(uri);
        checkTable(services, request.caller, uri);
        const wanted = mode === 'stream' ? 'stream' : 'artifact';
        const answer = await tables.scans.order({
          uri,
          params: transform.params,
          name: name || null,
          mode: wanted,
          refresh,
          ...askerOf(request.caller, request.tenant),
        });
        if (answer.kind === 'stream') await tables.owners.claim(answer.stream.id);
        return bodyOf(answer, wanted);
      },
    );
  });

  function transformRefused(executor: string): Error {
    return settings.deploymentMode === 'service'
      ? refusals.transformNotAllowed(executor)
      : refusals.transformUnknown(executor, []);
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
