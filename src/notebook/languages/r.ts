// R cells: analysed and run by the R of this machine, with the library that renv keeps for the notebook. Where there is no R
// the cell stands alone in the graph and says so when it is run.
import type { CellUser, FrameText, RNames, RPool, RRuntimeParts } from '../../runtimes/index.ts';
import { CellRefused, type Language, refusePythonInputs } from './language.ts';
import { withoutCommentLines } from './rComments.ts';
import type { RemoteCells } from './remote.ts';
import { noNames, textDigest } from './sourceDigest.ts';

export interface RParts {
  readonly names: (sources: readonly string[]) => Promise<readonly RNames[]>;
  /** Undefined when this machine has no R. */
  readonly rscript: () => string | undefined;
  readonly mayRunHere: boolean;
  readonly processes: RPool;
  /** Who runs cells; undefined: the server's own user. */
  readonly user: () => Promise<CellUser | undefined>;
  readonly frames: FrameText;
  readonly watch: RRuntimeParts['watch'];
  readonly consoleBytes: number;
  readonly outside: NonNullable<Language['outside']>;
  readonly remote: RemoteCells;
}

const noR =
  'R is not installed on this machine, or Rscript is not on the path of the server. Install R (Debian: apt install r-base-core; macOS: brew install r) and start the server again.';

export function rLanguage(parts: RParts): Language {
  const { names, rscript, mayRunHere, processes, frames, watch, consoleBytes, outside, remote } = parts;
  return {
    outside: {
      ...outside,
      look(work, options) {
        refusePythonInputs(work, 'R');
        return outside.look(work, options);
      },
    },
    async read(cells) {
      if (mayRunHere && cells.length > 0) processes.wake();
      const found = await names(cells.map(({ source }) => source));
      return cells.map(({ source }, index) => {
        const { defines, references } = found[index] ?? noNames;
        return { names: { ...noNames, defines, references }, digest: textDigest(withoutCommentLines(source)) };
      });
    },

    laneOf: remote.laneOf,

    async engage(work) {
      const elsewhere = remote.engage(work, 'r');
      if (elsewhere) return elsewhere;
      if (rscript() === undefined) throw new CellRefused('RNotInstalled', noR);
      if (!mayRunHere) throw new CellRefused('LocalCellsRefused', 'This server runs no R cells by itself.');
      refusePythonInputs(work, 'R');
      const { runRCell } = await import('../../runtimes/r/rRuntime.ts');
      const user = await parts.user();
      return {
        run: (job, onEvent, signal) => runRCell({ processes, user, frames, watch, consoleBytes }, job, onEvent, signal),
      };
    },
  };
}
