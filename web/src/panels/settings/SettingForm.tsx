// The frame around one setting: its name, a mark when it is not saved, what is wrong with it, and the two ways out.
import { createContext, type ReactNode, useContext, useId } from 'react';
import type { NeededScope } from '../../scopes.ts';
import { Button, Message } from '../../ui/index.ts';
import { Changeable } from '../Changeable.tsx';
import { isWholeSection, labelOfSetting } from './sections.ts';
import type { Setting } from './useSetting.ts';

/** The settings that a search left; null for all. */
export const Found = createContext<ReadonlySet<string> | null>(null);

export function SettingForm<Value>({
  setting,
  hint,
  needs = 'notebook:write',
  children,
}: {
  setting: Setting<Value>;
  needs?: NeededScope;
  hint?: ReactNode;
  /** The names of its parts for whoever cannot see them. */
  children: (label: string, describedBy: string) => ReactNode;
}) {
  const { id, isDirty, isSaving, isOvertaken, problem } = setting;
  const describedBy = useId();
  const label = labelOfSetting(id);
  return (
    <OneSetting id={id} isDirty={isDirty}>
      <Changeable needs={needs}>
        <form
          className="setting-form"
          aria-label={label}
          onSubmit={(event) => {
            event.preventDefault();
            void setting.save();
          }}
        >
          {children(label, describedBy)}
          <div id={describedBy}>
            {problem !== null && <Message tone="error">{problem}</Message>}
            {isOvertaken && (
              <Message tone="plain">
                This was changed elsewhere meanwhile. Save keeps what you wrote where both did; Discard shows theirs.
              </Message>
            )}
            {hint !== undefined && <p className="panel-note">{hint}</p>}
          </div>
          {isDirty && (
            <div className="setting-ways">
              <Button type="submit" look="primary" disabled={isSaving}>
                Save
              </Button>
              <Button look="quiet" onClick={setting.discard}>
                Discard
              </Button>
            </div>
          )}
        </form>
      </Changeable>
    </OneSetting>
  );
}

/** A setting that has no form: it is shown, or takes effect at once. */
export function OneSetting({ id, isDirty = false, children }: { id: string; isDirty?: boolean; children: ReactNode }) {
  const found = useContext(Found);
  if (found !== null && !found.has(id)) return null;
  return (
    <section className="setting">
      {!isWholeSection(id) && (
        <h4>
          {labelOfSetting(id)}
          {isDirty && <span className="not-saved">not saved</span>}
        </h4>
      )}
      {children}
    </section>
  );
}
