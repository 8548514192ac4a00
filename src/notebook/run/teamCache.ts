// Results that colleagues computed: before a cell runs, the team's store is asked for what the run would give, and what a run
// gave is handed to it. Whatever goes wrong there, the cell runs here as if there were no team.
import type { ArtifactStore, TeamValues } from '../../artifacts/index.ts';
import type { FilePrints } from '../../files/index.ts';
import type { RunResult } from '../../runtimes/index.ts';
import type { CellRun } from './cellRun.ts';
import type { KeptResult } from './results.ts';
import { type FoundResult, findResult } from './teamFind.ts';
import { shareResult } from './teamShare.ts';

/** The team's store as the cells of one notebook see it. Neither way ever fails. */
export interface TeamCache {
  /** All that a run of the cell would give, as files in the folder; undefined unless everything is there. */
  find(cell: CellRun, folder: string, prints: FilePrints, signal: AbortSignal): Promise<FoundResult | undefined>;
  /** Hands over what a run gave, beside everything else. */
  share(cell: CellRun, run: RunResult, result: KeptResult): void;
}

/** The way to the team's store that all notebooks of a server share. */
export interface TeamLink {
  /** As one notebook sees it. `buildEnv`: what Python cells run on here, such as `cpython-3.13-linux-x86_64`. */
  cacheFor(notebook: {
    readonly store: ArtifactStore;
    /** Whose run it is. */
    readonly principal: () => string | null;
    readonly buildEnv: () => string;
  }): TeamCache;
  /** Waits a moment for what is being handed over. */
  close(): Promise<void>;
}

export interface TeamLinkParts {
  readonly values: TeamValues;
  /** False where results are only taken. */
  readonly shares: boolean;
  readonly log: { warning(message: string, fields?: Readonly<Record<string, unknown>>): void };
}

/** A store that did not answer is left alone for a while: asking it would hold up every cell. */
const restMilliseconds = 30_000;
const lastMilliseconds = 10_000;

export function createTeamLink({ values, shares, log }: TeamLinkParts): TeamLink {
  const closing = new AbortController();
  let restsUntil = 0;
  let shared: Promise<void> = Promise.resolve();

  return {
    cacheFor: ({ store, principal, buildEnv }) => ({
      async find(cell, folder, prints, signal) {
        if (performance.now() < restsUntil) return undefined;
        try {
          return await findResult(
            { values, principal: principal(), buildEnv: buildEnv(), prints },
            cell,
            folder,
            signal,
          );
        } catch (error) {
          if (signal.aborted) return undefined;
          restsUntil = performance.now() + restMilliseconds;
          log.warning('The team store was asked in vain; it is left alone for a while', { error });
          return undefined;
        }
      },
      share(cell, run, result) {
        if (!shares) return;
        const work = { values, principal: principal(), fileOf: store.blobPath, signal: closing.signal };
        // One after another: what was computed here is in no hurry to be elsewhere.
        shared = shared.then(() =>
          shareResult(work, cell, run, result).catch((error: unknown) =>
            log.warning('A result was not given to the team store', { error }),
          ),
        );
      },
    }),
    async close() {
      const late = setTimeout(() => closing.abort(), lastMilliseconds);
      await shared;
      clearTimeout(late);
    },
  };
}
