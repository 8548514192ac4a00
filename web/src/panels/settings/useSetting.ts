// One setting while a person changes it: what they wrote stays until it is saved or discarded, also while the panel is closed.
// What was saved can be taken back like any change of the notebook.
import { useState } from 'react';
import { messageOf } from '../../api/index.ts';
import { useNotebook, useView } from '../../notebook/context.ts';

export interface SettingParts<Value> {
  readonly id: string;
  readonly saved: Value;
  /** For what is told when it is taken back: `setting the time limit`. */
  readonly doing: string;
  readonly write: (value: Value) => Promise<unknown>;
  /** What is wrong with it, in words; null when it can be saved. */
  readonly objection?: (value: Value) => string | null;
  /** Whether the server still knows enough to go back to what was. */
  readonly canGoBack?: (before: Value, after: Value) => boolean;
}

export interface Setting<Value> {
  readonly id: string;
  readonly value: Value;
  readonly isDirty: boolean;
  readonly isSaving: boolean;
  readonly problem: string | null;
  change(value: Value): void;
  discard(): void;
  save(): Promise<void>;
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export function useSetting<Value>(parts: SettingParts<Value>): Setting<Value> {
  const { id, saved, doing, write, objection, canGoBack } = parts;
  const { view, undo } = useNotebook();
  const draft = useView(({ settings }) => settings.get(id));
  const [refusal, setRefusal] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  // Only this hook writes a draft under this id.
  const value = draft === undefined ? saved : (draft as Value);
  const isDirty = draft !== undefined;
  const wrong = isDirty ? (objection?.(value) ?? null) : null;
  const keep = (next: unknown): void => view.send({ kind: 'setting', id, draft: next });

  return {
    id,
    value,
    isDirty,
    isSaving,
    problem: wrong ?? refusal,
    change(next) {
      setRefusal(null);
      keep(same(next, saved) ? undefined : next);
    },
    discard() {
      setRefusal(null);
      keep(undefined);
    },
    async save() {
      if (!isDirty || wrong !== null) return;
      setSaving(true);
      try {
        await undo.inTurn(async () => {
          await write(value);
          if (canGoBack?.(saved, value) ?? true)
            undo.did(
              doing,
              () => write(saved),
              () => write(value),
            );
        });
        setRefusal(null);
        keep(undefined);
      } catch (error) {
        setRefusal(messageOf(error));
      } finally {
        setSaving(false);
      }
    },
  };
}
