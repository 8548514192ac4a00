// Help for whoever types in a cell: what may stand at the cursor, what a name there means, what the names stand for.
import type {
  FormattedBody,
  HelpBody,
  RemarksBody,
  SuggestionsBody,
  VariableRecord,
} from '../../../src/protocol/index.ts';
import { request } from './client.ts';

export interface Cursor {
  readonly sessionId: string;
  readonly cellId: string;
  readonly source: string;
  readonly offset: number;
}

const ask = <Body>(what: string, { sessionId, cellId, source, offset }: Cursor, signal: AbortSignal): Promise<Body> =>
  request('POST', `/v1/notebooks/${encodeURIComponent(sessionId)}/cells/${cellId}/${what}`, { source, offset }, signal);

export const suggest = (at: Cursor, signal: AbortSignal): Promise<SuggestionsBody> => ask('complete', at, signal);

/** What is not known in time is found out meanwhile: whoever still waits is told. */
export async function suggestAgain(at: Cursor, signal: AbortSignal): Promise<SuggestionsBody> {
  for (let times = 0; ; times++) {
    const answer = await suggest(at, signal);
    if (answer.items.length > 0 || !answer.truncated || times > 15) return answer;
    await new Promise((resolve) => setTimeout(resolve, Math.min(1600, 400 * 2 ** times)));
    signal.throwIfAborted();
  }
}

export const explain = (at: Cursor, signal: AbortSignal): Promise<HelpBody> => ask('help', at, signal);

export const readVariables = (
  sessionId: string,
  signal: AbortSignal,
): Promise<{ readonly variables: readonly VariableRecord[] }> =>
  request('GET', `/v1/notebooks/${encodeURIComponent(sessionId)}/variables`, undefined, signal);

interface Written {
  readonly sessionId: string;
  readonly cellId: string;
  readonly source: string;
}

const tell = <Body>(what: string, { sessionId, cellId, source }: Written, signal: AbortSignal): Promise<Body> =>
  request('POST', `/v1/notebooks/${encodeURIComponent(sessionId)}/cells/${cellId}/${what}`, { source }, signal);

export const readRemarks = (cell: Written, signal: AbortSignal): Promise<RemarksBody> => tell('remarks', cell, signal);

export const formatSource = (cell: Written, signal: AbortSignal): Promise<FormattedBody> =>
  tell('format', cell, signal);
