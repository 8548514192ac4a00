// Changing the texts of cells as a whole: replaced, put back, renamed, formatted. Each can be taken back.
import type { ExplicitPreviewBody } from '../../../src/protocol/index.ts';
import * as api from '../api/index.ts';
import { textOf } from '../state/index.ts';
import { announce } from '../ui/index.ts';
import { attempt } from './attempt.ts';
import { assertLeftAlone } from './cellsBack.ts';
import { replaceText } from './replaceText.ts';
import type { NotebookSession } from './session.ts';

/** New texts of several cells as one change. What somebody wrote in one of them since is not taken back. */
export function replaceTexts(
  session: NotebookSession,
  texts: ReadonlyMap<string, string>,
  words: { readonly label: string; readonly done: string },
): Promise<void> {
  return attempt(session, async () => {
    const before = new Map([...texts.keys()].map((id) => [id, textOf(session.store.get(), id)]));
    for (const [id, text] of texts) replaceText(session, id, text);
    replaced(session, before, texts, words);
  });
}

/** Texts were replaced, as one change that can be taken back. */
export function replaced(
  session: NotebookSession,
  before: ReadonlyMap<string, string>,
  texts: ReadonlyMap<string, string>,
  words: { readonly label: string; readonly done: string },
): void {
  session.undo.did(words.label, async (now) => {
    const model = session.store.get();
    const isSame = (id: string): boolean => textOf(model, now(id)) === texts.get(id);
    for (const [id, text] of before) if (isSame(id)) replaceText(session, now(id), text);
    const others = [...before.keys()].filter((id) => model.cells.has(now(id)) && !isSame(id)).length;
    const left = others === 1 ? '1 cell was changed since and stays' : `${others} cells have changed since and stay`;
    if (others > 0) session.store.send({ kind: 'noticed', text: `${left} as written.`, tone: 'plain' });
  });
  session.store.send({ kind: 'noticed', text: `${words.done} Press Z to undo.`, tone: 'plain' });
  announce(words.done);
}

/** The name as it was looked at; gives why not, when it could not be: the notebook is another by now. */
export async function renameStepByStep(
  session: NotebookSession,
  { name, token, changes }: ExplicitPreviewBody,
): Promise<string | null> {
  let problem: string | null = null;
  await session.undo.inTurn(async () => {
    try {
      const model = session.store.get();
      if (changes.some(({ cell_id, before }) => textOf(model, cell_id) !== before))
        throw new Error('A cell has changed since this preview. Open it again.');
      const made = await api.makeExplicit(session.sessionId, name, token);
      const texts = (side: 'before' | 'after') => new Map(made.changes.map((one) => [one.cell_id, one[side]]));
      const count = made.changes.length;
      replaced(session, texts('before'), texts('after'), {
        label: `making ${name} explicit`,
        done: `${name} is explicit in ${count} ${count === 1 ? 'cell' : 'cells'}.`,
      });
    } catch (error) {
      problem = api.messageOf(error);
    }
  });
  return problem;
}

/** The text of one cell was replaced; what is written over it since stays. */
function replacedOne(
  session: NotebookSession,
  cellId: string,
  { text, left, label }: { readonly text: string; readonly left: string; readonly label: string },
): void {
  session.undo.did(label, async (now) => {
    await assertLeftAlone(session, { [cellId]: left }, now);
    replaceText(session, now(cellId), text);
  });
}

/** Gives a cell the text that it had when an earlier result was made. */
export function putBack(session: NotebookSession, cellId: string, earlier: string): Promise<void> {
  return attempt(session, async () => {
    const text = textOf(session.store.get(), cellId);
    replaceText(session, cellId, earlier);
    replacedOne(session, cellId, { text, left: earlier, label: 'putting back an earlier source' });
    const note = 'The earlier source is back. Press Z to undo.';
    session.store.send({ kind: 'noticed', text: note, tone: 'plain' });
    announce(note);
  });
}

/** Python as everybody formats it; what cannot be read stays as it is. */
export function formatCell(session: NotebookSession, cellId: string): Promise<void> {
  return attempt(session, async () => {
    const text = textOf(session.store.get(), cellId);
    const { sessionId } = session;
    const { source } = await api.formatSource({ sessionId, cellId, source: text }, AbortSignal.timeout(20_000));
    const isStill = textOf(session.store.get(), cellId) === text;
    const wanted = source === null || text.endsWith('\n') ? source : source.replace(/\n$/, '');
    if (wanted === null || !isStill || wanted === text) {
      const note = wanted === null ? 'This cell cannot be formatted: it is not plain Python.' : 'Already formatted.';
      return session.store.send({ kind: 'noticed', text: note, tone: 'plain' });
    }
    replaceText(session, cellId, wanted);
    replacedOne(session, cellId, { text, left: wanted, label: 'formatting a cell' });
    announce('Formatted.');
  });
}
