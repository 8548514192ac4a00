// Which kept result a run of a cell would find, and what is known of what the cell touches.

import type { ArtifactStore } from '../../artifacts/index.ts';
import { kindOf } from '../../cellLanguages.ts';
import { cellOf, type Notebook } from '../document/index.ts';
import { effective } from '../languages/index.ts';
import {
  anythingRead,
  type KeptResult,
  lostValues,
  mayDiffer,
  nothingTouched,
  type ToldEffects,
} from '../run/index.ts';
import type { Shape } from '../shape/index.ts';
import { apply, currentKey, hasMovedUpstream, resultUnder, type SessionState } from '../state/index.ts';
import type { Stores } from './cellWork.ts';
import type { History } from './history.ts';
import { textResult } from './textResult.ts';

export interface Finder {
  /** The kept result that a run of the cell would find, were the notebook in this state. */
  keptIn(state: SessionState, cellId: string, stores?: Stores): KeptResult | undefined;
  /** The same as it is now. */
  find(cellId: string, options: FindOptions): KeptResult | undefined;
  /** Whether a run would find a kept result if a look at what lies outside gave this digest. */
  wouldBeFound(cellId: string, digest: string): boolean;
  /** What the cell touched when it last ran as it is now; undefined when nobody knows. */
  effectsOf(cellId: string): ToldEffects | undefined;
  /** What is chosen on the controls of a widget cell: what a found result of it gives. */
  controls(cellId: string): Readonly<Record<string, unknown>>;
}

export interface FindOptions {
  readonly stores: Stores;
  /** Somebody asked for this very cell, and gets what a repeat gives. */
  readonly isAsked: boolean;
  /** Whether somebody could answer what it asks. */
  readonly canAsk: boolean;
}

export interface FinderParts {
  readonly history: History;
  readonly store: ArtifactStore;
  readonly now: () => { readonly notebook: Notebook; readonly session: SessionState; readonly shape: Shape };
}

export function createFinder({ history, store, now }: FinderParts): Finder {
  function keptIn(state: SessionState, cellId: string, stores: Stores = 'read'): KeptResult | undefined {
    const facts = state.facts.get(cellId);
    if (facts && kindOf(facts.language) === 'text') return textResult;
    const key = facts && !facts.neverCached ? currentKey(state, facts) : undefined;
    const found = key === undefined ? undefined : history.find(cellId, resultUnder(state, cellId, key)?.key);
    if (!found || !facts?.consumed.every((name) => Object.hasOwn(found.variables, name))) return undefined;
    if (stores === 'leaves' && facts.consumed.length === 0 && !isWhole(cellId, found)) return undefined;
    return lostValues(store, Object.entries(found.variables)).length === 0 ? found : undefined;
  }

  /** Whether all that the cell defines was stored, as far as it could be. */
  const isWhole = (cellId: string, { isWhole: whole = false }: KeptResult): boolean =>
    whole || now().shape.cells.get(cellId)?.defines.length === 0;

  return {
    keptIn,
    find(cellId, { stores, isAsked, canAsk }) {
      const found = keptIn(now().session, cellId, stores);
      const isDecided = (now().shape.cells.get(cellId)?.directives.cache ?? null) !== null;
      if (!isAsked || isDecided || !found?.effects) return found;
      return mayDiffer(found.effects) || (canAsk && found.effects.asked) ? undefined : found;
    },
    controls(cellId) {
      const form = now().shape.cells.get(cellId);
      return form?.widget ? effective(form.widget, form.chosen) : {};
    },
    wouldBeFound(cellId, digest) {
      const { session } = now();
      const asked = session.facts.get(cellId)?.asksOutside ?? '';
      // With other values from above it would be another result.
      if (hasMovedUpstream(session, cellId)) return false;
      return keptIn(apply(session, { type: 'looked', cellId, asked, digest }).state, cellId) !== undefined;
    },
    effectsOf(cellId) {
      const { language } = cellOf(now().notebook, cellId);
      if (language === 'sql') return anythingRead;
      if (kindOf(language) !== 'code') return nothingTouched;
      const digest = now().session.facts.get(cellId)?.sourceDigest;
      return [...history.all(cellId)].findLast(({ sourceDigest }) => sourceDigest === digest)?.effects;
    },
  };
}
