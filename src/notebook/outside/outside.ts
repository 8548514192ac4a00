// What cells read from outside the notebook: each kind of thing has a reader, and a look asks all that a cell names. The
// digest of a look enters the key of the result; the names it binds stand beside the cell's wired inputs.
import { createHash } from 'node:crypto';
import type { InputFile } from '../../runtimes/index.ts';
import type { Brought, CellWork, FarInput, OutsideLook, Weight } from '../languages/index.ts';

/** One thing that a cell reads, as it was found. */
export interface Found {
  readonly name: string;
  /** Another text is another result. */
  readonly fingerprint: string;
  /** Left out for what is only brought here when the cell runs. */
  readonly input?: InputFile;
  readonly far?: FarInput;
  readonly prepare?: (signal: AbortSignal) => Promise<{ file: string; finish(succeeded: boolean): Promise<void> }>;
  /** Where a result says that it comes from: address → version. */
  readonly lineage?: Readonly<Record<string, string>>;
}

export interface LookOptions {
  readonly signal: AbortSignal;
  /** False for a look that must not ask anybody: what is not known without asking has no answer then. */
  readonly mayAsk: boolean;
  /** The cell is run anew: what was chosen for earlier runs is chosen again. */
  readonly renew?: boolean;
}

/** What says whether a cell reads anything outside at all. */
export type Asking = Pick<CellWork, 'notebook' | 'cell' | 'annotations'>;

export interface OutsideReader {
  /** What the cell asks for, in words that are others when it asks for something else; null when for nothing. */
  asks(asking: Asking): string | null;
  /** Undefined when a look that may not ask does not know. Throws CellRefused when something cannot be had. */
  look(work: CellWork, options: LookOptions): Promise<readonly Found[] | undefined>;
  /** The same without bringing anything here; left out where a look brings nothing. */
  weigh?(work: CellWork, signal: AbortSignal): Promise<readonly Found[]>;
}

export interface Outside {
  asks(asking: Asking): string | null;
  look(work: CellWork, options: LookOptions): Promise<OutsideLook | undefined>;
  weigh(work: CellWork, signal: AbortSignal): Promise<Weight>;
}

export function createOutside(readers: readonly OutsideReader[]): Outside {
  return {
    asks(asking) {
      const asked = readers.map((reader) => reader.asks(asking)).filter((words) => words !== null);
      return asked.length === 0 ? null : asked.join('\0');
    },
    async look(work, options) {
      const asked = readers.filter((reader) => reader.asks(work) !== null);
      const answers = await Promise.all(asked.map((reader) => reader.look(work, options)));
      const found: Found[] = [];
      for (const answer of answers) {
        if (answer === undefined) return undefined;
        found.push(...answer);
      }
      return {
        digest: digestOf(found),
        inputs: Object.fromEntries(found.flatMap(({ name, input }) => (input ? [[name, input]] : []))),
        lineage: Object.assign({}, ...found.map(({ lineage }) => lineage ?? {})),
        far: found.flatMap(({ far }) => far ?? []),
        prepare: (signal) => bring(found, signal),
      };
    },
    async weigh(work, signal) {
      const asked = readers.filter((reader) => reader.asks(work) !== null);
      const found = await Promise.all(
        asked.map((reader) => reader.weigh?.(work, signal) ?? reader.look(work, { signal, mayAsk: true })),
      );
      const all = found.flatMap((one) => one ?? []);
      const distant = all.filter(({ far }) => far !== undefined);
      return {
        far: distant.flatMap(({ far }) => far ?? []),
        fingerprint: digestOf(distant),
        digest: digestOf(all),
      };
    },
  };
}

function digestOf(found: readonly Found[]): string {
  const hash = createHash('sha256');
  for (const fingerprint of found.map((one) => one.fingerprint).sort()) hash.update(`${fingerprint}\0`);
  return hash.digest('hex');
}

/** All or nothing: what was brought before one could not be had is let go. */
async function bring(found: readonly Found[], signal: AbortSignal): Promise<Brought> {
  const inputs: Record<string, InputFile> = {};
  const finishes: Brought['finish'][] = [];
  const finish = async (succeeded: boolean): Promise<void> => {
    const done = await Promise.allSettled(finishes.map((one) => one(succeeded)));
    for (const one of done) if (one.status === 'rejected') throw one.reason;
  };
  try {
    for (const { name, prepare } of found) {
      const brought = await prepare?.(signal);
      if (!brought) continue;
      inputs[name] = { contentType: 'file/path', file: brought.file };
      finishes.push(brought.finish);
    }
  } catch (error) {
    await finish(false);
    throw error;
  }
  return { inputs, finish };
}
