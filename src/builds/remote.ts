// Executors over HTTP: the inputs go along in one request, the result is the answer. The operator chose the address; no
// credentials are sent, and redirects are not followed.
import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { z } from 'zod';
import { ArrowInvalid, type Artifacts, type ArtifactVersion, createArrowScan } from '../artifacts/index.ts';
import { Refusal } from '../errors/index.ts';
import { multipartBody, openUrl, shownUrl, type UrlAnswer, UrlUnreachable } from '../fetch/index.ts';
import { type Log, traceHeaders } from '../observability/index.ts';
import { parseExactly } from '../runtimes/index.ts';
import { type Build, BuildProblem, longestMessage } from './build.ts';
import type { Executor, ExecutorWork } from './executor.ts';

const protocol = 'v1';
const protocolHeader = 'x-svc-executor-protocol';
const arrowStream = 'application/vnd.apache.arrow.stream';
const anywhere = { publicOnly: false, allowedHosts: [] };
const maxReasonBytes = 64 * 1024;

export function createRemoteExecutor({ staging }: Artifacts, log: Log): Executor {
  return async (work) => {
    const { build, transform, signal } = work;
    const url = `${transform.executorUrl}/v1/execute`;
    const late = AbortSignal.timeout(Math.min(transform.timeoutSeconds * 1000, 2 ** 31 - 1));
    const scan = createArrowScan();
    try {
      const answer = await ask(url, work, AbortSignal.any([signal, late]));
      if (answer.status !== 200) throw new BuildProblem('EXECUTOR_HTTP_ERROR', await reasonOf(url, answer));
      checkProtocol(url, answer);
      tellLogs(log, build, answer);
      const bytes = await staging.receive(answer.body, transform.maxOutputBytes, (piece) => scan.push(piece));
      try {
        return { bytes, ...(await scan.finish()) };
      } catch (error) {
        await staging.discard(bytes);
        throw error;
      }
    } catch (error) {
      if (signal.aborted || error instanceof BuildProblem) throw error;
      if (late.aborted)
        throw new BuildProblem('TIMEOUT', `The executor did not finish within ${transform.timeoutSeconds} s.`);
      if (error instanceof ArrowInvalid)
        throw new BuildProblem('INVALID_ARROW_FORMAT', `Invalid Arrow IPC format: ${error.message}`);
      if (error instanceof Refusal && error.kind === 'too_large')
        throw new BuildProblem('OUTPUT_TOO_LARGE', `The result is larger than ${transform.maxOutputBytes} bytes.`);
      if (error instanceof UrlUnreachable || (error instanceof Error && 'code' in error))
        throw new BuildProblem('REQUEST_FAILED', error.message);
      throw error;
    }
  };
}

async function ask(url: string, { build, version, inputs }: ExecutorWork, signal: AbortSignal): Promise<UrlAnswer> {
  const files = await Promise.all(
    inputs.map(async (place, index) => ({
      name: `input${index}`,
      filename: `input${index}.arrow`,
      type: arrowStream,
      place,
      size: (await stat(place)).size,
    })),
  );
  const body = multipartBody(metadataOf(build, version, inputs.length), files);
  const headers = {
    ...traceHeaders(),
    [protocolHeader]: protocol,
    'content-type': body.contentType,
    'content-length': String(body.length),
  };
  return openUrl(url, { method: 'POST', headers, body: body.pieces(), policy: anywhere, signal });
}

/** With the numbers of the parameters as they were sent. */
function metadataOf(build: Build, { transformSpec, provenanceHash }: ArtifactVersion, inputs: number): string {
  const spec = transformSpec ?? '{}';
  return JSON.stringify({
    protocol_version: protocol,
    build_id: build.id,
    tenant: build.tenant || null,
    principal: build.principal,
    provenance_hash: provenanceHash,
    transform: { ref: build.executor, code_hash: codeHash(spec), params: exactParams(spec) },
    inputs: Array.from({ length: inputs }, (_one, index) => ({ name: `input${index}`, format: 'arrow_ipc_stream' })),
  });
}

const codeHash = (spec: string): string => createHash('sha256').update(spec).digest('hex').slice(0, 16);

/** The parameters, printing as they were sent. */
export function exactParams(spec: string): Record<string, unknown> {
  const parsed = z.object({ params: z.record(z.string(), z.unknown()) }).safeParse(parseExactly(spec));
  return parsed.success ? parsed.data.params : {};
}

/** The header may be missing, but not name another version. */
function checkProtocol(url: string, { headers }: UrlAnswer): void {
  const found = headers[protocolHeader];
  if (found !== undefined && found !== protocol)
    throw new BuildProblem('PROTOCOL_ERROR', `${shownUrl(url)} speaks ${String(found).slice(0, 40)}, not ${protocol}.`);
}

/** What the executor says went wrong, else that it said nothing. */
async function reasonOf(url: string, { status, body }: UrlAnswer): Promise<string> {
  let text = '';
  for await (const piece of body) {
    text += String(piece);
    if (text.length > maxReasonBytes) break;
  }
  return (saidIn(text) || `${shownUrl(url)} answered ${status} without a reason`).slice(0, longestMessage);
}

function saidIn(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return text;
    if ('error_message' in body && typeof body.error_message === 'string') return body.error_message;
    if ('detail' in body) return typeof body.detail === 'string' ? body.detail : JSON.stringify(body.detail);
  } catch {
    // No JSON: the words themselves.
  }
  return text;
}

function tellLogs(log: Log, { id, executor }: Build, { headers }: UrlAnswer): void {
  const logs = headers['x-svc-logs'];
  if (typeof logs !== 'string' || logs === '') return;
  log.info('An executor told of its work', { build_id: id, executor, said: Buffer.from(logs, 'base64').toString() });
}
