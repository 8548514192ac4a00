// Python cells: analysed by the engine, run by the notebook's runtime. Functions and classes that other cells read go to
// them as source.
import type { Analysis } from '../../engine/index.ts';
import type { ModuleSlice, Runtime } from '../../runtimes/index.ts';
import { parseAnnotations } from '../annotations/index.ts';
import { CellRefused, type CellWork, type Language } from './language.ts';
import type { RemoteCells } from './remote.ts';
import { noNames, textDigest } from './sourceDigest.ts';

export interface PythonParts {
  readonly analysis: Pick<Analysis, 'analyseMany' | 'moduleSource' | 'widgets'>;
  /** The runtime of the environment as it is now; undefined until it is ready. */
  readonly runtime: () => Runtime | undefined;
  /** False on a shared server that has no user to run cells as: only stored results are served then. */
  readonly mayRunHere: boolean;
  readonly outside: NonNullable<Language['outside']>;
  readonly remote: RemoteCells;
  /** How a cell of this session reaches the server for that long; undefined where there is no server. */
  readonly ambient: (seconds: number) => Ambient | undefined;
}

export interface Ambient {
  readonly url: string;
  readonly token: string;
  readonly promoteUrl: string;
  /** The run is over: the token is good for nothing. */
  end(): void;
}

const noLocalCells =
  'This server runs no cells by itself: set SVC_NOTEBOOK_HARNESS_USER to the user that cells run as, or give the cell a worker.';
const notReady = 'The environment of this notebook is not ready; wait for its job to finish, or look at why it failed.';

/** The condition that ends a loop, an expression; empty for a cell without one. */
const untilOf = (source: string): string =>
  source.includes('@loop') ? (parseAnnotations(source).loop?.untilExpr ?? '') : '';

export function pythonLanguage({ analysis, runtime, mayRunHere, outside, ambient, remote }: PythonParts): Language {
  async function sliceModules({ cell, exports, inputs }: CellWork): Promise<Record<string, ModuleSlice>> {
    if (exports.exports.length === 0) return {};
    const slice = await analysis.moduleSource(cell.source);
    // The runtime knows this line: what the module lacks is looked up among the names of the cell that calls it.
    const source = exports.late.length === 0 ? slice : `# The caller brings ${exports.late.join(', ')}\n${slice}`;
    // By content, not by address: the same code with the same values is the same thing.
    const injected = Object.fromEntries(exports.injected.map((name) => [name, inputs.get(name)?.sha256 ?? 'own']));
    const module = { moduleName: `cell_${cell.id}`, source, provenanceHash: null, injected };
    return Object.fromEntries(exports.exports.map(({ name, kind }) => [name, { ...module, kind }]));
  }

  return {
    outside,
    async read(cells) {
      const untils = cells.map(({ source }) => untilOf(source));
      const found = await analysis.analyseMany([...cells.map(({ source }) => source), ...untils]);
      return cells.map(({ source }, index) => {
        const python = found[index];
        const until = found[cells.length + index];
        if (!python) return { names: noNames, digest: textDigest(source) };
        const { defines, references, builtinReferences, discardedReads, mutationDefines } = python;
        const names = { defines, references, builtinReferences, discardedReads, mutationDefines };
        return {
          names,
          digest: python.sourceDigest ?? textDigest(source),
          python,
          untilReferences: until?.references ?? [],
          untilError: until?.error?.message ?? null,
        };
      });
    },

    laneOf: remote.laneOf,

    async engage(work) {
      const elsewhere = remote.engage(work, 'python');
      if (!elsewhere && !mayRunHere) throw new CellRefused('LocalCellsRefused', noLocalCells);
      const available = elsewhere ?? runtime();
      if (!available) throw new CellRefused('EnvironmentNotReady', notReady);
      const { blocked, reasons } = work.exports;
      if (blocked.length > 0) {
        throw new CellRefused(
          'ModuleExportError',
          `Other cells read from this one what cannot be given to them: ${reasons.join('; ')}.`,
        );
      }
      const moduleSlices = await sliceModules(work);
      const inputs = Object.fromEntries([...work.inputs].map(([name, { uri }]) => [name, uri]));
      return {
        async run(job, onEvent, signal) {
          // A worker could not reach this server under its own address.
          const access = !elsewhere && job.testSource === null ? ambient(job.timeoutSeconds ?? 86_400) : undefined;
          const reached = access ? { ...access, inputs } : null;
          try {
            return await available.run({ ...job, moduleSlices, ambient: reached }, onEvent, signal);
          } finally {
            access?.end();
          }
        },
      };
    },
  };
}
