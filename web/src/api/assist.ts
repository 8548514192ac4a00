// Help from a model: whether there is one, what would be sent, and the answer as it comes.
import type { AssistEvent, AssistOfferBody, AssistPreviewBody, AssistRequest } from '../../../src/protocol/index.ts';
import { ApiError, address, refusalOf, request } from './client.ts';

const at = (sessionId: string, place = ''): string => `/v1/notebooks/${encodeURIComponent(sessionId)}/assist${place}`;

export type Wish = Partial<AssistRequest> & Pick<AssistRequest, 'task'>;

export const readAssistOffer = (sessionId: string): Promise<AssistOfferBody> => request('GET', at(sessionId));

export const previewAssist = (sessionId: string, wish: Wish, signal: AbortSignal): Promise<AssistPreviewBody> =>
  request('POST', at(sessionId, '/preview'), wish, signal);

/** Resolves when the answer is over; aborting takes the question back. */
export async function askAssist(
  sessionId: string,
  wish: Wish,
  onEvent: (event: AssistEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const asked = fetch(address(at(sessionId)), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(wish),
    signal,
  });
  const answer = await asked.catch((error: unknown) => lost(signal, error));
  if (!answer.ok) throw await refusalOf(answer);
  const lines = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  for (;;) {
    const read = lines?.read().catch((error: unknown) => lost(signal, error));
    const { done, value } = (await read) ?? { done: true, value: '' };
    if (done) break;
    const events = (rest + value).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) if (event.startsWith('data: ')) onEvent(JSON.parse(event.slice(6)));
  }
  if (rest !== '') lost(signal, null);
}

/** Browsers say of a connection that breaks “network error”, or less. */
function lost(signal: AbortSignal, error: unknown): never {
  if (signal.aborted) throw error;
  throw new ApiError(0, 'The answer broke off: the connection is gone. Ask again.', 'offline');
}

/** The proposal becomes the text of the cell, if that is still the one that it was made for. */
export const acceptEdit = (
  sessionId: string,
  cellId: string,
  accepted: { readonly source: string; readonly base: string; readonly assisted_by: string },
): Promise<unknown> => request('PUT', `/v1/notebooks/${encodeURIComponent(sessionId)}/cells/${cellId}`, accepted);

export const acceptCell = (
  sessionId: string,
  accepted: { readonly after_cell_id: string | null; readonly source: string; readonly assisted_by: string },
): Promise<{ readonly id: string }> =>
  request('POST', `/v1/notebooks/${encodeURIComponent(sessionId)}/cells`, accepted);
