// Typing that the server has not confirmed yet. Nothing typed is ever dropped: it is sent, refused and kept, or set beside
// what somebody else wrote meanwhile.
import { usualLanguage } from '../cellLanguages.ts';
import type { Draft, NotebookModel, Orphan } from './model.ts';

type Drafts = Pick<NotebookModel, 'drafts' | 'sentOrder'>;

const replace = (model: Drafts, cellId: string, draft: Draft | undefined): ReadonlyMap<string, Draft> => {
  const drafts = new Map(model.drafts);
  if (draft) drafts.set(cellId, draft);
  else drafts.delete(cellId);
  return drafts;
};

/** `assistedBy`: the model that what was added is from; it is named until the server has all of the draft. */
export function typed(model: NotebookModel, cellId: string, text: string, assistedBy?: string): NotebookModel {
  const cell = model.cells.get(cellId);
  if (!cell) return model;
  const before = model.drafts.get(cellId);
  if (before?.text === text) return model;
  if (!before && text === cell.source) return model;
  const draft: Draft = {
    ...(before ?? { base: cell.source, sent: [], perhapsTaken: [], refused: null, theirs: null }),
    text,
    ...(assistedBy === undefined ? {} : { assistedBy }),
  };
  const settled = draft.sent.length === 0 && draft.theirs === null && text === draft.base;
  return { ...model, drafts: replace(model, cellId, settled ? undefined : draft) };
}

export function sent(model: NotebookModel, cellId: string): NotebookModel {
  const draft = model.drafts.get(cellId);
  if (!draft) return model;
  return {
    ...model,
    drafts: replace(model, cellId, { ...draft, sent: [...draft.sent, draft.text], refused: null }),
    sentOrder: [...model.sentOrder, cellId],
  };
}

/** What the next text that is sent changes: the server has it by then, unless it refuses it, and the next one with it. */
export const baseToSend = ({ sent, base }: Draft): string => sent.at(-1) ?? base;

/** The server took the oldest text that was sent. */
export function acknowledged(model: NotebookModel): NotebookModel {
  const [cellId, ...sentOrder] = model.sentOrder;
  const draft = cellId === undefined ? undefined : model.drafts.get(cellId);
  const [source, ...later] = draft?.sent ?? [];
  if (cellId === undefined || !draft || source === undefined) return { ...model, sentOrder };
  const settled = later.length === 0 && draft.text === source && draft.theirs === null;
  const cell = model.cells.get(cellId);
  return {
    ...model,
    sentOrder,
    cells: cell ? new Map(model.cells).set(cellId, { ...cell, source }) : model.cells,
    drafts: replace(model, cellId, settled ? undefined : { ...draft, base: source, sent: later }),
  };
}

export function refused(model: NotebookModel, cellId: string, reason: NonNullable<Draft['refused']>): NotebookModel {
  const draft = model.drafts.get(cellId);
  if (!draft) return model;
  const place = model.sentOrder.indexOf(cellId);
  return {
    ...model,
    sentOrder: model.sentOrder.filter((_, index) => index !== place),
    drafts: replace(model, cellId, { ...draft, sent: draft.sent.slice(1), refused: reason }),
  };
}

/** The cell had another text than the one that was changed: the draft was not taken. */
export function crossed(model: NotebookModel, cellId: string, source: string): NotebookModel {
  const draft = model.drafts.get(cellId);
  const cell = model.cells.get(cellId);
  if (!draft || !cell) return model;
  const place = model.sentOrder.indexOf(cellId);
  const sentOrder = model.sentOrder.filter((_, index) => index !== place);
  const drafts = replace(model, cellId, { ...draft, sent: draft.sent.slice(1) });
  return {
    ...model,
    sentOrder,
    cells: new Map(model.cells).set(cellId, { ...cell, source }),
    drafts: sourceTold({ drafts, sentOrder }, cellId, source),
  };
}

/** What was under way when the connection broke may or may not have arrived; it is sent again. */
export function unsent(model: NotebookModel): NotebookModel {
  const drafts = new Map(
    [...model.drafts].map(([id, draft]) => [
      id,
      { ...draft, sent: [], perhapsTaken: draft.sent.length > 0 ? draft.sent : draft.perhapsTaken },
    ]),
  );
  return { ...model, drafts, sentOrder: [] };
}

/** The server's text of a cell, which may be somebody else's. */
export function sourceTold(model: Drafts, cellId: string, source: string): ReadonlyMap<string, Draft> {
  const draft = model.drafts.get(cellId);
  if (!draft) return model.drafts;
  if (source === draft.text) return replace(model, cellId, undefined);
  if (source === draft.base || draft.sent.includes(source)) return model.drafts;
  if (draft.perhapsTaken.includes(source)) return replace(model, cellId, { ...draft, base: source, perhapsTaken: [] });
  return replace(model, cellId, { ...draft, theirs: source });
}

export function tookTheirs(model: NotebookModel, cellId: string): NotebookModel {
  const theirs = model.drafts.get(cellId)?.theirs ?? null;
  const cell = model.cells.get(cellId);
  if (theirs === null || !cell) return model;
  return {
    ...model,
    cells: new Map(model.cells).set(cellId, { ...cell, source: theirs }),
    drafts: replace(model, cellId, undefined),
  };
}

export function keptMine(model: NotebookModel, cellId: string): NotebookModel {
  const draft = model.drafts.get(cellId);
  if (!draft) return model;
  const base = draft.theirs ?? draft.base;
  // Both may come to what they wrote: there is nothing to send then, and nobody would take it off.
  if (draft.text === draft.theirs) return tookTheirs(model, cellId);
  return { ...model, drafts: replace(model, cellId, { ...draft, base, sent: [], theirs: null, refused: null }) };
}

export const orphan = (
  { cells }: Pick<NotebookModel, 'cells'>,
  cellId: string,
  { text, base }: Pick<Draft, 'text' | 'base'>,
): Orphan => ({
  language: cells.get(cellId)?.language ?? usualLanguage,
  text,
  from: { cellId, base },
});

/** Somebody took the deletion of its cell back: what was kept aside is typing in that cell again. */
export function homecoming(drafts: Drafts, { text, from }: Orphan, source: string): Drafts['drafts'] {
  if (from === undefined) return drafts.drafts;
  const { cellId, base } = from;
  const draft: Draft = { text, base, sent: [], perhapsTaken: [], refused: null, theirs: null };
  return sourceTold({ ...drafts, drafts: replace(drafts, cellId, draft) }, cellId, source);
}

/** What somebody goes on typing whose cell is gone stands behind what they wrote in it. */
export function wroteOn(model: NotebookModel, key: string): NotebookModel {
  const last = model.orphans.at(-1) ?? { language: usualLanguage, text: '' };
  const text = key === 'Backspace' ? [...last.text].slice(0, -1).join('') : last.text + (key === 'Enter' ? '\n' : key);
  return { ...model, orphans: [...model.orphans.slice(0, -1), { ...last, text }] };
}
