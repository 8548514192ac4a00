// The signed transport: the worker is given addresses, fetches the inputs and brings the bundle by itself. It needs to reach
// this server, and nothing has to reach its files.
import { randomBytes } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { BundleInvalid, readBundle } from '../bundle/index.ts';
import { refusals } from '../errors/index.ts';
import { shortText } from '../fetch/index.ts';
import type { Owners } from '../nodes/index.ts';
import type { Job, RunEvent, RunResult } from '../runtimes/index.ts';
import { type Addressing, cellManifest, type ManifestParts, type NamedInput, renewedManifest } from './cellManifest.ts';
import { createWorkerClient, failureFrom, failureOf } from './client.ts';
import type { DispatchOptions } from './direct.ts';
import { RemoteFailure } from './failure.ts';
import { awaitJob, jobUrlOf, patienceOf } from './jobs.ts';
import { resultOf } from './outcome.ts';
import { openPresigned, type PresignedStore } from './presigned.ts';
import { bytesOf, inputArtifactId, inputKey, type PulledCells, streamedFolder } from './pulledCells.ts';
import { type PushedFacts, type WireInput, wireInputs } from './pushBody.ts';
import type { Signer } from './signing.ts';
import { type RemoteWorker, routeOf } from './spec.ts';
import { submitUntilTaken } from './submit.ts';
import { createToldConsole } from './toldConsole.ts';

export interface SignedRuns {
  run(
    worker: RemoteWorker,
    job: Job,
    facts: PushedFacts,
    onEvent: (event: RunEvent) => void,
    options: DispatchOptions,
  ): Promise<RunResult>;
}

export interface SignedParts {
  readonly pulledCells: PulledCells;
  readonly signer: Signer;
  /** Where this server serves; null when it does not. */
  readonly address: () => string | null;
  /** Other servers of the deployment pass on what workers ask them about the build. */
  readonly owners: Pick<Owners, 'claim'>;
  readonly maxBytes: number;
  readonly maxFileBytes: number;
  readonly expirySeconds: number;
  /** Where inputs and bundles go by addresses of the object store; undefined where this server passes them itself. */
  readonly store: PresignedStore | undefined;
}

export function createSignedRuns({
  pulledCells,
  signer,
  address,
  owners,
  maxBytes,
  maxFileBytes,
  expirySeconds,
  store,
}: SignedParts): SignedRuns {
  return {
    async run(worker, job, facts, onEvent, options) {
      const begun = performance.now();
      const base = worker.svcUrl ?? address();
      if (base === null)
        throw new RemoteFailure(
          'SETUP_FAILED',
          `The worker ${worker.name} could not reach this process, which serves nothing.`,
        );
      const id = `nbbuild-${randomBytes(6).toString('hex')}`;
      const place = { worker: worker.name, transport: 'signed', buildId: id };
      const inputs = await wireInputs(job, facts.outputDirs, job.outputDir);
      const named = withIds(facts.notebookId, inputs);
      const timeoutSeconds = job.timeoutSeconds ?? 86_400;
      const wanted = Math.max(expirySeconds, timeoutSeconds + options.provisioningSeconds + 300);
      const lifetime = store ? Math.min(wanted, longestPresigned) : wanted;
      const files = named.map(({ input }) => input.place);
      const places =
        store && (await openPresigned(store, { id, folder: job.outputDir, files, maxBytes, seconds: lifetime }));
      const parts: ManifestParts = { id, job, facts, inputs, named, base, signer, maxBytes };
      const addressing = async (lease: string): Promise<Addressing> => {
        await owners.claim(id, lifetime);
        const issuedAt = signer.now();
        return { lease, issuedAt, expiresAt: issuedAt + lifetime, places: await places?.addresses(lease) };
      };
      const console = createToldConsole(onEvent);
      const open = pulledCells.open({
        id,
        owner: { principal: facts.principal, tenant: facts.tenant ?? '' },
        folder: job.outputDir,
        inputs: new Map(named.map(({ artifactId, input }) => [inputKey(artifactId, 1), input.place])),
        outputDirs: facts.outputDirs,
        maxBytes,
        maxFileBytes,
        onConsole: console.tell,
        bring: places?.bring,
        readdress: async (lease) => renewedManifest(parts, await addressing(lease)),
        async take(file) {
          try {
            const bundle = await readBundle(bytesOf(file), job.outputDir, options.limits);
            await placeStreamed(job.outputDir, bundle.manifest.output_dirs_streamed ?? {});
            return resultOf(bundle, place, begun);
          } catch (error) {
            throw error instanceof BundleInvalid ? refusals.bundleInvalid(error.message) : error;
          }
        },
      });
      const client = createWorkerClient(worker);
      const patience = Math.max(timeoutSeconds + 10, 30) + options.provisioningSeconds;
      const late = AbortSignal.timeout(Math.min(patience * 1000, 2 ** 31 - 1));
      const signal = AbortSignal.any([options.signal, late]);
      try {
        const manifest = JSON.stringify(cellManifest(parts, await addressing('')));
        const submitted = routeOf(worker.url, '/v1/execute-manifest');
        const ask = () =>
          client.ask(submitted, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: manifest,
            signal,
          });
        const answer = await submitUntilTaken(worker, ask, options);
        if (answer.status === 202) {
          options.onProgress({ state: 'starting', position: null, detail: null });
          const jobUrl = await jobUrlOf(worker, answer, submitted);
          const patienceSeconds = patienceOf(answer);
          const asked = { ...options, worker, client, submitted, headers: {}, timeoutSeconds, patienceSeconds };
          const end = await awaitJob(jobUrl, asked);
          if (end.kind === 'bundle')
            throw new RemoteFailure('PROTOCOL_ERROR', `The worker ${worker.name} answered a pulled job with a bundle.`);
          checkResult(worker, end.result);
        } else if (answer.status === 200) checkResult(worker, parsed(worker, await shortText(answer.body)));
        else throw await failureOf(worker, answer);
        const result = open.result();
        if (!result)
          throw new RemoteFailure(
            'MISSING_OUTPUT_BLOB',
            `The worker ${worker.name} says that it is done, and brought nothing.`,
          );
        console.tellRest(result);
        return result;
      } catch (error) {
        // It was brought, and only the word of it was lost on the way.
        const brought = error instanceof RemoteFailure && error.code === 'REQUEST_FAILED' ? open.result() : undefined;
        if (brought) return brought;
        await client.cancel(id);
        open.tellHeld();
        const printed = console.printed();
        if (options.signal.aborted) throw error;
        if (late.aborted)
          throw new RemoteFailure('TIMEOUT', `The worker ${worker.name} did not answer within ${patience} s.`, {
            buildId: id,
            printed,
          });
        throw error instanceof RemoteFailure
          ? new RemoteFailure(error.code, error.message, { buildId: id, printed })
          : error;
      } finally {
        open.close();
        await places?.drop();
      }
    },
  };
}

/** Object stores sign for a week at most; a cell that runs longer has its manifest renewed. */
const longestPresigned = 7 * 86_400;

const answerSchema = z.looseObject({ success: z.literal(true) });

function parsed({ name }: RemoteWorker, said: string): unknown {
  try {
    return JSON.parse(said);
  } catch {
    throw new RemoteFailure('PROTOCOL_ERROR', `The worker ${name} did not answer in JSON when it was done.`);
  }
}

function checkResult({ name }: RemoteWorker, body: unknown): void {
  if (!answerSchema.safeParse(body).success) throw failureFrom(name, 502, JSON.stringify(body ?? {}));
}

function withIds(notebookId: string, inputs: readonly WireInput[]): NamedInput[] {
  return inputs.flatMap((input) => [
    ...(input.file === '' ? [] : [{ artifactId: inputArtifactId(notebookId, input), input }]),
    ...withIds(notebookId, input.injected),
    ...withIds(notebookId, input.variants),
  ]);
}

/** Files that came while the cell ran join the others; what the bundle does not name was deleted by the cell. */
async function placeStreamed(folder: string, streamed: Readonly<Record<string, readonly string[]>>): Promise<void> {
  for (const [name, files] of Object.entries(streamed)) {
    for (const file of files) {
      const parts = file.split('/');
      if (!/^[A-Za-z_]\w*$/.test(name) || parts.some((part) => part === '' || part === '.' || part === '..'))
        throw new BundleInvalid(`'${file.slice(0, 200)}' is not a plain relative name`);
      const target = path.join(folder, 'output_dirs', name, ...parts);
      const move = async (): Promise<void> => {
        await fs.mkdir(path.dirname(target), { recursive: true });
        await fs.rename(path.join(streamedFolder(folder), name, ...parts), target);
      };
      await move().catch(() => {
        throw new BundleInvalid(`'${file.slice(0, 200)}' was never sent, or lies where another file does`);
      });
    }
  }
}
