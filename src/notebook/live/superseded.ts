// Values that newer ones have taken the place of go while the notebook is open, as soon as nothing runs: what lies in its store
// is then what the next opening would have left there.
import { type KeptResult, type Results, type Superseded, urisIn } from '../run/index.ts';
import type { History } from './history.ts';

export interface SupersededValues {
  /** Nothing runs at this moment. */
  rested(): void;
  /** Resolves when all that was to go has gone: what a run stores again must not be on its way out. */
  settled(): Promise<void>;
}

export interface SupersededParts {
  readonly history: Pick<History, 'takeFresh' | 'forgetOlder' | 'everything'>;
  readonly results: Pick<Results, 'supersede'>;
  /** How many earlier results of a cell are kept beside its newest; 0 keeps all. */
  readonly keepSuperseded: number;
  /** Whether the cell shows this result, or others read it. */
  readonly isUsed: (cellId: string, key: string) => boolean;
  /** They are found no more, by nobody. */
  readonly onGone: (gone: readonly { readonly cellId: string; readonly key: string }[]) => void;
  readonly fault: (error: unknown) => void;
}

export function createSupersededValues(parts: SupersededParts): SupersededValues {
  const { history, results, keepSuperseded, isUsed, onGone, fault } = parts;
  let going: Promise<void> = Promise.resolve();

  /** The number of its versions, where none was ever removed, tells whether any may go. */
  const mayHaveOlder = (result: KeptResult): boolean =>
    urisIn(result).some((uri) => Number(/@v=(\d+)$/.exec(uri)?.[1] ?? 0) > keepSuperseded + 1);

  function goOver(fresh: readonly Superseded[]): void {
    const gone = fresh.flatMap(({ id }) => history.forgetOlder(id, keepSuperseded + 1, (key) => isUsed(id, key)));
    onGone(gone.map(({ id, result }) => ({ cellId: id, key: result.key })));
    const newer = fresh.map(({ result }) => result);
    if (gone.length === 0 && !newer.some(mayHaveOlder)) return;
    const rule = { keepSuperseded, rest: [...history.everything()] };
    going = going.then(() => results.supersede(gone, newer, rule)).catch(fault);
  }

  return {
    rested() {
      const fresh = history.takeFresh();
      if (keepSuperseded > 0 && fresh.length > 0) goOver(fresh);
    },
    settled: () => going,
  };
}
