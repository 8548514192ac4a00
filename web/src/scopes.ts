// What whoever looks at the page may do.
import { useEffect, useState } from 'react';
import type { SignInBody } from '../../src/protocol/index.ts';
import { readSignIn } from './api/signIn.ts';

export type NeededScope =
  | 'notebook:write'
  | 'notebook:execute'
  | 'artifacts:write'
  | 'artifacts:publish'
  | 'admin:notebook-credentials'
  | 'admin:registry'
  | 'admin:notebook-workers'
  | 'admin:*';

/** Who asks does not change while the page is open: signing in loads it anew. */
let asked: Promise<Asker> | undefined;
let known: Asker = { principal: null, scopes: null, writes: true };

export type Asker = Pick<SignInBody, 'principal' | 'scopes' | 'writes'>;

function whoAsks(): Promise<Asker> {
  asked ??= readSignIn().then(
    (found) => {
      known = found;
      return found;
    },
    () => {
      asked = undefined;
      return known; // the server refuses what may not be done
    },
  );
  return asked;
}

/** Whether people share the server, as far as is known: nobody deletes notebooks there, whatever they may do otherwise. */
export const isSharedServer = (): boolean => {
  void whoAsks();
  return known.scopes !== null;
};

/** Whether the server is known to refuse what needs this. */
export const lacks = (needs: NeededScope): boolean => isLacking(known, needs);
export const useLacks = (needs: NeededScope): boolean => isLacking(useAsker(), needs);

const isLacking = (asker: Asker, needs: NeededScope): boolean =>
  isOffFor(asker, needs) ||
  (asker.scopes !== null && !asker.scopes.includes(needs) && !asker.scopes.includes('admin:*'));

const writing: readonly NeededScope[] = ['artifacts:write', 'artifacts:publish', 'admin:registry'];

const isOffFor = ({ writes }: Asker, needs: NeededScope): boolean => !writes && writing.includes(needs);

/** Whether the server does it for nobody, whatever their key allows. */
export const isSwitchedOff = (needs: NeededScope): boolean => isOffFor(known, needs);

/** Whether it is the same person with the same rights. */
export const isSameAsker = (one: Asker, other: Asker): boolean =>
  one.principal === other.principal && one.scopes?.toSorted().join() === other.scopes?.toSorted().join();

export const useIsShared = (): boolean => useAsker().scopes !== null;

export function useAsker(): Asker {
  const [asker, setAsker] = useState(known);
  useEffect(() => {
    let isGone = false;
    void whoAsks().then((found) => isGone || setAsker(found));
    return () => {
      isGone = true;
    };
  }, []);
  return asker;
}
