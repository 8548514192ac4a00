// What only some may change: for everybody else it is there, cannot be used, and says why.
import { type ReactNode, useEffect, useState } from 'react';
import { readSignIn } from '../api/signIn.ts';
import { useNotebook } from '../notebook/context.ts';

export type NeededScope = 'notebook:write' | 'notebook:execute' | 'admin:notebook-credentials';

/** Who asks does not change while the page is open: signing in loads it anew. */
let asked: Promise<readonly string[] | null> | undefined;

function myScopes(): Promise<readonly string[] | null> {
  asked ??= readSignIn().then(
    ({ scopes }) => scopes,
    () => {
      asked = undefined;
      return null; // the server refuses what may not be done
    },
  );
  return asked;
}

/** Why it may not be changed by whoever looks at the page; null when it may. */
export function useObjection(needs: NeededScope): string | null {
  const { isReadOnly } = useNotebook();
  const [scopes, setScopes] = useState<readonly string[] | null>(null);
  useEffect(() => {
    let isGone = false;
    void myScopes().then((found) => isGone || setScopes(found));
    return () => {
      isGone = true;
    };
  }, []);
  if (isReadOnly) return 'You see this notebook as a viewer. Open it with your own key to change it.';
  if (scopes === null || scopes.includes(needs) || scopes.includes('admin:*')) return null;
  return `Your key does not allow this (it needs ${needs}). Ask whoever runs this server for it.`;
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
