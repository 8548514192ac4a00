// One setting while a person changes it: what they wrote stays until it is saved or discarded, also while the panel is closed.
// What was saved can be taken back like any change of the notebook.
import { useState } from 'react';
import { messageOf, readSession } from '../../api/index.ts';
import { useNotebook, useView } from '../../notebook/context.ts';
import { emptyModel, type NotebookModel, reduce } from '../../state/index.ts';
import { isSame } from './rebase.ts';

export interface SettingParts<Value> {
  readonly id: string;
  readonly saved: Value;
  /** For what is told when it is taken back: `setting the time limit`. */
  readonly doing: string;
  readonly write: (value: Value) => Promise<unknown>;
  /** What is wrong with it, in words; null when it can be saved. */
  readonly objection?: (value: Value) => string | null;
  /** What is still missing, in words: nobody wants to hear that before they are done. */
  readonly missing?: (value: Value) => string | null;
  /** What was written here, with what was saved meanwhile by somebody else; absent: only one of them can be. */
  readonly rebase?: (base: Value, mine: Value, saved: Value) => Value;
  /** What of a notebook it is: with `rebase`, what others saved meanwhile stays, also what this page has not been told of yet. */
  readonly readFrom?: (notebook: NotebookModel) => Value;
  /** Whether the server still knows enough to go back to what was. */
  readonly canGoBack?: (before: Value, after: Value) => boolean;
}

export interface Setting<Value> {
  readonly id: string;
  readonly value: Value;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  readonly problem: string | null;
  /** Somebody else saved it while it was changed here. */
  readonly isOvertaken: boolean;
  change(value: Value): void;
  discard(): void;
  save(): Promise<void>;
}

/** What was written, and what it was written over. */
interface Draft<Value> {
  readonly base: Value;
  readonly value: Value;
  readonly isOvertaken: boolean;
}

/** As the server has it. */
const notebookNow = async (sessionId: string): Promise<NotebookModel> =>
  reduce(emptyModel, { kind: 'loaded', state: await readSession(sessionId) });

export function useSetting<Value>(parts: SettingParts<Value>): Setting<Value> {
  const { id, saved, doing, write, objection, missing, rebase, readFrom, canGoBack } = parts;
  const { sessionId, view, undo } = useNotebook();
  // Only this hook writes a draft under this id.
  const draft = useView(({ settings }) => settings.get(id)) as Draft<Value> | undefined;
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isTried, setTried] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const isDirty = draft !== undefined;
  const isMoved = isDirty && !isSaving && !isSame(draft.base, saved);
  const value = !isDirty ? saved : isMoved && rebase ? rebase(draft.base, draft.value, saved) : draft.value;
  const isOvertaken = isDirty && (draft.isOvertaken || isMoved);
  const wrong = isDirty ? (objection?.(value) ?? null) : null;
  const lacks = isDirty ? (missing?.(value) ?? null) : null;
  const keep = (next: Draft<Value> | undefined): void => view.send({ kind: 'setting', id, draft: next });
  const forget = (): void => {
    setRefusal(null);
    setTried(false);
    keep(undefined);
  };

  return {
    id,
    value,
    isDirty,
    isSaving,
    isOvertaken,
    problem: wrong ?? (isTried ? lacks : null) ?? refusal,
    change(next) {
      setRefusal(null);
      keep(isSame(next, saved) ? undefined : { base: saved, value: next, isOvertaken });
    },
    discard: forget,
    async save() {
      setTried(true);
      if (!isDirty || wrong !== null || lacks !== null) return;
      setSaving(true);
      try {
        await undo.inTurn(async () => {
          const go = (from: Value, to: Value) => async () => {
            const isOnTop = rebase && readFrom;
            await write(isOnTop ? rebase(from, to, readFrom(await notebookNow(sessionId))) : to);
          };
          await go(saved, value)();
          if (canGoBack?.(saved, value) ?? true) undo.did(doing, go(value, saved), go(saved, value));
        });
        forget();
      } catch (error) {
        setRefusal(messageOf(error));
      } finally {
        setSaving(false);
      }
    },
  };
}
