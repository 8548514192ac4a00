// What only some may change: for everybody else it is there, cannot be used, and says why.
import type { ReactNode } from 'react';
import { useObjection } from '../notebook/rights.ts';
import type { NeededScope } from '../scopes.ts';

export function Changeable({ needs, children }: { needs: NeededScope; children: ReactNode }) {
  const objection = useObjection(needs);
  return (
    <fieldset className="changeable" disabled={objection !== null}>
      {objection !== null && <p className="panel-note">{objection}</p>}
      {children}
    </fieldset>
  );
}
