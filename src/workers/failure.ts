// How a run on a worker can fail without the cell being at fault: a stable code for clients, and words for people. What a
// worker said is shortened and cleaned before anybody sees it.
import { failedRun, type Outcome, type RunResult } from '../runtimes/index.ts';
import type { Printed } from './toldConsole.ts';

export type RemoteErrorCode =
  | 'TIMEOUT'
  | 'EXECUTOR_HTTP_ERROR'
  | 'PROTOCOL_ERROR'
  | 'REQUEST_FAILED'
  | 'JOB_STATUS_FAILED'
  | 'PROVISIONING_TIMEOUT'
  | 'SETUP_FAILED'
  | 'FINALIZE_FAILED'
  | 'MISSING_OUTPUT_BLOB'
  | 'INVALID_NOTEBOOK_BUNDLE'
  | 'OUTPUT_TOO_LARGE';

export class RemoteFailure extends Error {
  override name = 'RemoteFailure';
  readonly code: RemoteErrorCode;
  readonly outcome: Outcome;
  /** Of the signed transport. */
  readonly buildId: string | undefined;
  /** What was heard of its console until then. */
  readonly printed: Printed | undefined;

  constructor(code: RemoteErrorCode, message: string, signed: { buildId?: string; printed?: Printed } = {}) {
    super(message);
    this.buildId = signed.buildId;
    this.printed = signed.printed;
    this.code = code;
    this.outcome = code === 'TIMEOUT' ? 'timeout' : 'error';
  }
}

const maxSaidCharacters = 2000;

/** Without control characters, and not without end. */
export const cleaned = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '').slice(0, maxSaidCharacters);

/** A page for people, where a worker answers in JSON. */
export const isPage = (said: string): boolean => /^\s*</.test(said);

/** It comes from another program, or from a server before the worker. */
export function pageInWords(page: string): string {
  const title = cleaned(/<title[^>]*>([^<]*)/i.exec(page)?.[1]?.trim() ?? '').slice(0, 80);
  return `a web page${title === '' ? '' : ` (“${title}”)`}, which is from another web server`;
}

/** What an error body says: `detail`, else `error`, else the text itself. */
export function saidBy(text: string): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) {
      if ('detail' in body && typeof body.detail === 'string') return cleaned(body.detail);
      if ('error' in body && typeof body.error === 'string') return cleaned(body.error);
    }
  } catch {
    // No JSON: a page, or plain words.
  }
  return isPage(text) ? pageInWords(text) : cleaned(text);
}

/** Where a run took place, for frames and records. */
export interface RemotePlace {
  readonly worker: string;
  readonly transport: string;
  readonly buildId?: string | undefined;
}

export function failedRemotely(failure: RemoteFailure, place: RemotePlace): RunResult {
  const { code, outcome, message, printed } = failure;
  return failedRun('WorkerFailed', message, {
    ...printed,
    outcome,
    executionMethod: 'executor',
    remote: { ...place, ...(place.buildId === undefined ? {} : { buildState: 'failed' }), errorCode: code },
  });
}

export function cancelledRemotely(place: RemotePlace): RunResult {
  return failedRun('Cancelled', 'The run was cancelled.', {
    outcome: 'cancelled',
    executionMethod: 'executor',
    remote: { ...place, ...(place.buildId === undefined ? {} : { buildState: 'failed' }) },
  });
}
