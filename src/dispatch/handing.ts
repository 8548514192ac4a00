// One cell on one worker: handed over under its own name, asked about until it has ended, its result brought here. Whatever
// breaks on the way, the worker is asked again by that name, so that the cell runs once.
import fs from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { intoFile } from '../files/index.ts';
import { jobHeader } from '../worker/jobs.ts';
import type { CellNote, SavedEnding } from './cell.ts';
import type { Link } from './link.ts';

export interface HandingParts {
  readonly link: Pick<Link, 'ask'>;
  /** Resolves when the worker is there. */
  readonly whenConnected: (name: string, signal: AbortSignal) => Promise<void>;
  readonly requestFile: string;
  readonly bundleFile: string;
  readonly onRunning: () => void;
  readonly signal: AbortSignal;
}

const waitSeconds = 25;
const againMilliseconds = 200;
const stateSchema = z.looseObject({
  state: z.string(),
  status_code: z.int().optional(),
  error: z.string().optional(),
  result: z.unknown().optional(),
});

/** How it ended; undefined where the worker never had it. Throws what aborted the signal. */
export async function runOn(
  worker: string,
  { id, order }: CellNote,
  isHanded: boolean,
  parts: HandingParts,
): Promise<SavedEnding | undefined> {
  const { link, whenConnected, requestFile, bundleFile, onRunning, signal } = parts;
  const route = `/v1/jobs/${id}`;

  async function hand(): Promise<SavedEnding | undefined> {
    const { size } = await fs.stat(requestFile);
    const answer = await link.ask(worker, {
      method: 'POST',
      path: order.route,
      headers: { 'content-type': order.contentType, 'content-length': String(size), [jobHeader]: id },
      file: requestFile,
      signal,
    });
    const said = await text(answer);
    const status = answer.statusCode ?? 502;
    // Not reached, or without room: whether it has the cell is seen below.
    if (status === 202 || status === 502 || status === 503) return undefined;
    return { kind: 'failed', status, error: saidIn(said) };
  }

  async function bring(answer: IncomingMessage): Promise<SavedEnding> {
    const temporary = `${bundleFile}.part`;
    await pipeline(answer, intoFile(temporary, { mode: 0o600 }));
    const { size } = await fs.stat(temporary);
    if (size !== Number(answer.headers['content-length'])) throw new Error('The bundle broke off.');
    await fs.rename(temporary, bundleFile);
    return { kind: 'bundle', size };
  }

  async function askOnce(tag: string | undefined): Promise<{ ended: SavedEnding | undefined } | { tag?: string }> {
    const answer = await link.ask(worker, {
      method: 'GET',
      path: route,
      headers: { prefer: `wait=${waitSeconds}`, ...(tag === undefined ? {} : { 'if-none-match': tag }) },
      signal,
    });
    if (answer.statusCode === 404) {
      answer.resume();
      return { ended: undefined };
    }
    if (answer.statusCode === 200 && answer.headers['content-type'] === 'application/x-tar')
      return { ended: await bring(answer) };
    const said = await text(answer);
    if (answer.statusCode !== 200) throw new Error(`The worker answered ${answer.statusCode}.`);
    const { state, status_code, error, result } = stateSchema.parse(JSON.parse(said));
    if (state === 'finished') return { ended: { kind: 'result', result } };
    if (state === 'failed') return { ended: { kind: 'failed', status: status_code ?? 500, error: error ?? '' } };
    if (state === 'running') onRunning();
    return { tag: answer.headers.etag ?? '' };
  }

  if (!isHanded) {
    const refused = await hand().catch(() => signal.throwIfAborted());
    if (refused) return refused;
  }
  for (let tag: string | undefined; ; ) {
    try {
      const found = await askOnce(tag);
      if ('ended' in found) return found.ended;
      tag = found.tag;
    } catch {
      signal.throwIfAborted();
      tag = undefined;
      await pause(againMilliseconds, undefined, { signal });
      await whenConnected(worker, signal);
    }
  }
}

/** A worker that was told that its job is done with, running or not. */
export async function letGo(link: Pick<Link, 'ask'>, worker: string, id: string, milliseconds: number): Promise<void> {
  const signal = AbortSignal.timeout(milliseconds);
  const answer = await link.ask(worker, { method: 'DELETE', path: `/v1/jobs/${id}`, signal });
  answer.resume();
  if (![204, 404].includes(answer.statusCode ?? 0)) throw new Error(`The worker answered ${answer.statusCode}.`);
}

function saidIn(said: string): string {
  try {
    const { detail, error } = JSON.parse(said) as { detail?: string; error?: string };
    return detail ?? error ?? said;
  } catch {
    return said;
  }
}
