// The one function that changes a notebook's model. Frames come in batches, so that a burst costs one copy of the cells.
import type { CommentRecord, KnownFrame, NotebookState } from '../protocol/index.ts';
import { keptMine, sent, tookTheirs, typed, unsent, wroteOn } from './drafts.ts';
import { applyFrame, type WritableCells, withoutCascade, writableCells } from './frames.ts';
import {
  type Connection,
  emptyModel,
  type KeptDraft,
  type NotebookModel,
  type Orphan,
  type WholeRun,
} from './model.ts';
import { noticed } from './notices.ts';
import { lacksConsole } from './records.ts';
import { withState } from './wholeState.ts';

export type StoreEvent =
  | { readonly kind: 'loaded'; readonly state: NotebookState }
  | { readonly kind: 'frames'; readonly frames: readonly KnownFrame[] }
  | { readonly kind: 'connection'; readonly connection: Connection }
  | { readonly kind: 'closed'; readonly reason: string; readonly message: string }
  | { readonly kind: 'reopened' }
  | { readonly kind: 'typed'; readonly cellId: string; readonly text: string; readonly assistedBy?: string }
  | { readonly kind: 'sent'; readonly cellId: string }
  | { readonly kind: 'runWaits'; readonly run: WholeRun | null }
  | { readonly kind: 'queued'; readonly cellId: string }
  | { readonly kind: 'unqueued'; readonly cellIds: readonly string[] }
  | { readonly kind: 'tookTheirs'; readonly cellId: string }
  | { readonly kind: 'keptMine'; readonly cellId: string }
  /** It was written in, and somebody else has deleted it. */
  | { readonly kind: 'orphaned'; readonly orphan: Orphan }
  | { readonly kind: 'wroteOn'; readonly key: string }
  /** It has a cell again. */
  | { readonly kind: 'adopted'; readonly orphan: Orphan }
  | { readonly kind: 'restored'; readonly drafts: Readonly<Record<string, KeptDraft>> }
  | { readonly kind: 'dismissed'; readonly what: 'reads' | 'impact' | 'orphans' | 'brokenOff' }
  /** The server that was to run these was started again. */
  | { readonly kind: 'brokenOff'; readonly cellIds: readonly string[] }
  | { readonly kind: 'cascadeAnswered'; readonly cellId: string }
  | { readonly kind: 'commented'; readonly comments: readonly CommentRecord[] }
  | { readonly kind: 'noticed'; readonly text: string; readonly tone: 'plain' | 'error'; readonly command?: string }
  | { readonly kind: 'noticeGone'; readonly id: number };

export function reduce(model: NotebookModel, event: StoreEvent): NotebookModel {
  switch (event.kind) {
    case 'loaded':
      return withState(model, event.state);
    case 'frames': {
      const writable = writableCells();
      return event.frames.reduce((next, frame) => receive(next, frame, writable), model);
    }
    case 'connection':
      return event.connection === 'live'
        ? { ...unsent(model), connection: 'live', lastSeq: 0, needsSync: true, agents: emptyModel.agents, cursors: [] }
        : { ...model, connection: event.connection };
    case 'closed':
      return { ...model, connection: 'closed', closed: { reason: event.reason, message: event.message } };
    case 'reopened':
      return { ...model, connection: 'connecting', closed: null };
    case 'typed':
      return typed(model, event.cellId, event.text, event.assistedBy);
    case 'sent':
      return sent(model, event.cellId);
    case 'runWaits':
      return model.waitingRun === event.run ? model : { ...model, waitingRun: event.run };
    case 'queued':
      return model.queue.includes(event.cellId) ? model : { ...model, queue: [...model.queue, event.cellId] };
    case 'unqueued':
      return { ...model, queue: model.queue.filter((id) => !event.cellIds.includes(id)) };
    case 'tookTheirs':
      return tookTheirs(model, event.cellId);
    case 'keptMine':
      return keptMine(model, event.cellId);
    case 'orphaned':
      return { ...model, orphans: [...model.orphans, event.orphan] };
    case 'wroteOn':
      return wroteOn(model, event.key);
    case 'adopted':
      return { ...model, orphans: model.orphans.filter((one) => one !== event.orphan) };
    case 'restored':
      return Object.entries(event.drafts).reduce(
        (next, [cellId, { text, assistedBy }]) => typed(next, cellId, text, assistedBy),
        model,
      );
    case 'dismissed':
      return { ...model, ...dismissals[event.what] };
    case 'brokenOff':
      return { ...model, brokenOff: event.cellIds.filter((id) => isThereAndStill(model, id)) };
    case 'cascadeAnswered':
      return { ...model, cascades: withoutCascade(model, event.cellId) };
    case 'commented':
      return { ...model, comments: event.comments };
    case 'noticed':
      return noticed(model, event.text, event.tone, event.command);
    case 'noticeGone':
      return { ...model, notices: model.notices.filter(({ id }) => id !== event.id) };
  }
}

const isThereAndStill = ({ cells }: NotebookModel, id: string): boolean =>
  (cells.get(id)?.status ?? 'running') !== 'running';

const dismissals = {
  reads: { reads: null },
  impact: { impact: null },
  orphans: { orphans: [] },
  brokenOff: { brokenOff: [] },
} as const;

function asksForState({ needsSync, cells }: NotebookModel, { type, payload }: KnownFrame): boolean {
  if (type === 'notebook_state') return lacksConsole(payload.cells, cells);
  return needsSync || (type === 'environment_job_finished' && lacksConsole(payload.cells ?? [], cells));
}

/** The number of every frame is checked: one seen before is dropped, a hole asks for the whole state. */
function receive(model: NotebookModel, frame: KnownFrame, writable: WritableCells): NotebookModel {
  if (model.lastSeq > 0 && frame.seq <= model.lastSeq) return model;
  const missed = model.lastSeq > 0 && frame.seq > model.lastSeq + 1;
  const next = applyFrame(missed ? { ...model, needsSync: true } : model, frame, writable);
  return { ...next, lastSeq: frame.seq, needsSync: asksForState(next, frame) };
}
