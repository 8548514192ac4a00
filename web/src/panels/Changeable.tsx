// What only some may change: for everybody else it is there, cannot be used, and says why.
import type { ReactNode } from 'react';
import { lackOf } from '../../../src/model/notAllowed.ts';
import { useNotebook } from '../notebook/context.ts';
import { type NeededScope, useLacks } from '../scopes.ts';

/** Why it may not be changed by whoever looks at the page; null when it may. */
export function useObjection(needs: NeededScope): string | null {
  const { isReadOnly } = useNotebook();
  const lacks = useLacks(needs);
  // Whoever may only read sees every notebook as a viewer, with their own key, too.
  if (lacks) return lackOf(needs);
  return isReadOnly ? 'You see this notebook as a viewer. Open it with your own key to change it.' : null;
}

export function Changeable({ needs, children }: { needs: NeededScope; children: ReactNode }) {
  const objection = useObjection(needs);
  return (
    <fieldset className="changeable" disabled={objection !== null}>
      {objection !== null && <p className="panel-note">{objection}</p>}
      {children}
    </fieldset>
  );
}
