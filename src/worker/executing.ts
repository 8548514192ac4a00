// The two ways in which cells reach a worker. A pushed one brings its inputs in the request and takes its bundle home in
// the answer; a pulled one names addresses for both. Room is taken before any byte of an input is.
import fs from 'node:fs/promises';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { NetworkPolicy } from '../fetch/index.ts';
import type { ProcessFolders } from '../files/index.ts';
import { intoFile } from '../files/index.ts';
import type { Log } from '../observability/index.ts';
import { readMultipart, readSmall } from '../pipes/index.ts';
import type { Capacity } from './capacity.ts';
import type { Executions } from './executions.ts';
import { keepAddresses } from './keptAddresses.ts';
import type { InputSpec, Order } from './order.ts';
import { manifestProtocol } from './protocolNames.ts';
import { readPulled } from './pullRequest.ts';
import { type PushForm, readPushed } from './pushRequest.ts';
import { invalid, tooLarge } from './refused.ts';
import { createRelay } from './relay.ts';
import type { Transfer } from './transfer.ts';

export interface Executing {
  push(body: AsyncIterable<Buffer>, options: PushOptions): Promise<PushedBundle>;
  pull(manifest: unknown, options: PullOptions): Promise<object>;
  cancel(buildId: string): boolean;
}

export interface PushOptions extends Watched {
  readonly contentType: string;
  readonly form: PushForm;
  /** Ends the execution. */
  readonly signal: AbortSignal;
}

export interface PullOptions extends Watched {
  /** Aborted when whoever sent the manifest hangs up: then the server is asked whether it wants the cell. */
  readonly caller?: AbortSignal;
  /** Ends the execution. */
  readonly stop?: AbortSignal;
}

/** For callers that do not wait for the end. */
interface Watched {
  /** Everything that is needed of the caller has come. */
  readonly onTaken?: () => void;
  /** The cell itself begins. */
  readonly onBegin?: () => void;
}

export interface PushedBundle {
  readonly file: string;
  readonly size: number;
  /** Call it when the bundle was sent. */
  drop(): Promise<void>;
}

export interface ExecutingParts {
  readonly capacity: Capacity;
  readonly executions: Executions;
  readonly folders: ProcessFolders;
  readonly transfer: Transfer;
  readonly policy: NetworkPolicy;
  readonly maxInputBytes: number;
  readonly pollSeconds: number;
  readonly log: Log;
}

const maxMetadataBytes = 64 * 1024 * 1024;

export function createExecuting(parts: ExecutingParts): Executing {
  const { capacity, executions, folders, transfer, policy, maxInputBytes, pollSeconds, log } = parts;

  /** Everything that a request holds goes when it fails. */
  async function held<T>(work: (hold: Hold) => Promise<T>): Promise<T> {
    const folder = await folders.take();
    const hold: Hold = { folder, seat: undefined };
    try {
      return await work(hold);
    } catch (error) {
      await folders.drop(folder);
      throw error;
    } finally {
      hold.seat?.release();
    }
  }

  return {
    push: (body, { contentType, form, signal, onTaken, onBegin }) =>
      held(async (hold) => {
        const files = new Map<string, string>();
        let order: Order | undefined;
        for await (const part of readMultipart(body, contentType)) {
          if (part.name === 'metadata') {
            if (part.filename === undefined) throw invalid('The part metadata must be a file, with a file name.');
            // Refused before the inputs are read.
            order = readPushed(
              await readSmall(part.body, maxMetadataBytes, (limit) => tooLarge('The metadata', limit)),
              form,
            );
            hold.seat ??= capacity.take();
            continue;
          }
          const file = path.join(hold.folder, `part-${files.size}`);
          await pipeline(part.body, limited(part.name, maxInputBytes), intoFile(file));
          for (const name of [part.name, part.filename]) if (name !== undefined) files.set(name, file);
        }
        if (!order) throw invalid('The request has no part metadata.');
        hold.seat ??= capacity.take();
        const bring = async (name: string, spec: InputSpec, target: string): Promise<void> => {
          const found = files.get(name) ?? files.get(spec.source) ?? files.get(spec.file);
          if (found === undefined) throw invalid(`The request has no part for the input ${name}.`);
          await fs.copyFile(found, target, fs.constants.COPYFILE_FICLONE);
        };
        const { seat, folder } = hold;
        onTaken?.();
        const bundle = await executions.execute(order, { seat, folder, bring, signal, onBegin });
        return { ...bundle, drop: () => folders.drop(folder) };
      }),

    async pull(manifest, { caller = never, stop = never, onTaken, onBegin }) {
      const pulled = await readPulled(manifest, policy);
      return held(async (hold) => {
        hold.seat = capacity.take();
        onTaken?.();
        const kept = keepAddresses(pulled.addresses, { policy, log, caller });
        const bundle = await executions
          .execute(pulled.order, {
            seat: hold.seat,
            folder: hold.folder,
            bring: (name, { source }, target, signal) => transfer.download(source, target, name, signal),
            relay: createRelay({ addresses: kept.current, policy, pollSeconds }),
            signal: AbortSignal.any([kept.unwanted, stop]),
            onBegin,
          })
          .finally(kept.stop);
        const { output, finalizeUrl } = await kept.settle();
        const finalize = await transfer.deliver(bundle, output, finalizeUrl);
        await folders.drop(hold.folder);
        const { buildId } = pulled;
        return {
          success: true,
          build_id: buildId,
          byte_size: bundle.size,
          protocol_version: manifestProtocol,
          finalize,
        };
      });
    },

    cancel: (buildId) => executions.cancel(buildId),
  };
}

const never = new AbortController().signal;

interface Hold {
  readonly folder: string;
  seat: ReturnType<Capacity['take']> | undefined;
}

const limited = (name: string, limit: number) =>
  async function* (pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    let total = 0;
    for await (const piece of pieces) {
      total += piece.length;
      if (total > limit) throw tooLarge(`The part ${name}`, limit);
      yield piece;
    }
  };
