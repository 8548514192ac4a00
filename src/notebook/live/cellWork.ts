// A cell of an open notebook as work to be done: what it is made of now, and the one run of it.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { ArtifactStore } from '../../artifacts/index.ts';
import { kindOf } from '../../cellLanguages.ts';
import { cellOf, type Notebook } from '../document/index.ts';
import { workFolderName } from '../files/index.ts';
import { CellRefused, type CellWork, type OutsideLook } from '../languages/index.ts';
import { type CellRun, knownFiles, lostValues, mayTouchFiles } from '../run/index.ts';
import type { CellShape, Shape } from '../shape/index.ts';
import {
  above,
  type CellFacts,
  currentKey,
  filesReadBy,
  inputValues,
  type SessionState,
  settingsAbove,
} from '../state/index.ts';

export interface WorkAt {
  readonly work: CellWork;
  readonly facts: CellFacts;
  readonly form: CellShape;
  readonly session: SessionState;
}

/**
 * What a run stores of what its cells define. `read`: what other cells read. `leaves`: of a cell that nobody reads from, all of it too.
 * `values`: whatever is data, for readers that are yet to be written, so that it need not run again for them.
 */
export type Stores = 'read' | 'leaves' | 'values';

/** Lines at which cells stop, by the cell. */
export type StopsAt = Readonly<Record<string, readonly number[]>>;

/** What a run is asked for beside its cell. */
export interface RunChoices {
  readonly look: OutsideLook | undefined;
  /** Whether the parts of a loop or a fan-out that are still true are taken up. */
  readonly useCache: boolean;
  readonly stores: Stores;
  readonly stopsAt?: StopsAt | undefined;
}

export interface CellWorkParts {
  readonly directory: string;
  /** Names this opening of the notebook: what holds only while it is open holds until it is another. */
  readonly openingId: string;
  readonly store: ArtifactStore;
  /** Whether what is installed is what the lock of the language says. */
  readonly isAttested: (language: string) => boolean;
  /** `cloudpickle` or `pickle`; with anything else storing objects fails. */
  readonly codec: string;
  /** The notebook as it is when asked. */
  readonly now: () => { readonly notebook: Notebook; readonly session: SessionState; readonly shape: Shape };
}

export function createCellWork(parts: CellWorkParts) {
  const { directory, store } = parts;
  const workDir = path.join(directory, workFolderName);

  const inputsOf = (cellId: string): CellWork['inputs'] => inputValues(parts.now().session, cellId).values;

  function workOn(cellId: string): WorkAt {
    const { notebook, session, shape } = parts.now();
    const facts = session.facts.get(cellId);
    const form = shape.cells.get(cellId);
    if (!facts || !form) throw new CellRefused('CellGone', 'This cell is no longer part of the notebook.');
    const { openingId } = parts;
    const { env, exports, directives: annotations } = form;
    const cell = cellOf(notebook, cellId);
    return {
      work: {
        notebook,
        cell,
        annotations,
        env,
        exports,
        inputs: inputsOf(cellId),
        chosen: form.chosen,
        openingId,
      },
      facts,
      form,
      session,
    };
  }

  /** As they are shown, and with the lines to stop at. */
  function lenders({ work, session }: WorkAt, stopsAt: StopsAt): CellRun['lenders'] {
    if (![...work.inputs.values()].some(({ contentType }) => contentType.startsWith('module/cell'))) return undefined;
    const { shape } = parts.now();
    return Object.fromEntries(
      lendersOf(session, shape, work.cell.id).map((id) => [
        id,
        { source: cellOf(work.notebook, id).source, stopsAt: stopsAt[id] ?? [] },
      ]),
    );
  }

  function runOf(at: WorkAt, { look, useCache, stores, stopsAt = {} }: RunChoices): CellRun {
    const { work, facts, form, session } = at;
    const { notebook, cell, inputs } = work;
    const lost = lostValues(store, inputs);
    if (lost.length > 0) {
      const names = lost.join(', ');
      throw new CellRefused('InputLost', `The stored bytes of ${names} are gone; run the cells that make them again.`);
    }
    const key = currentKey(session, facts);
    const settings = settingsAbove(session, cell.id);
    return {
      notebookId: notebook.id,
      cellId: cell.id,
      part: '',
      source: cell.source,
      key: key ?? randomUUID(),
      useKept: useCache,
      settings,
      remakes: true,
      isShareable:
        key !== undefined &&
        Object.keys(settings).length === 0 &&
        isShareable(work, facts) &&
        parts.isAttested(cell.language),
      sourceDigest: facts.sourceDigest,
      environmentHash: facts.environmentHash,
      inputs,
      readAbove: () => filesReadBy(session, above(session, cell.id)),
      outside: look,
      wanted: facts.consumed,
      known: knownFiles(store, session.cells.get(cell.id)?.result?.variables ?? {}),
      storesAll: stores === 'leaves' && facts.consumed.length === 0,
      outputDirs: form.directives.outputDirs,
      tableWrites: form.directives.writeTables,
      mutationDefines: form.mutationDefines,
      moduleSlices: {},
      lent: work.exports.injected,
      lenders: lenders(at, stopsAt),
      stopsAt: stopsAt[cell.id],
      env: form.env,
      workDir,
      notebookDir: directory,
      timeoutSeconds: form.timeout.seconds,
      timeoutLever: form.timeout.lever,
      codec: parts.codec,
      untilExpr: null,
      testSource: null,
      ambient: null,
    };
  }

  return { workOn, runOf, inputsOf };
}

/** Cells above whose functions and classes the cell may call, directly or through others. */
export const lendersOf = (session: SessionState, { cells }: Shape, cellId: string): string[] =>
  [...above(session, cellId)].filter((id) => id !== cellId && (cells.get(id)?.exports.exports.length ?? 0) > 0);

/**
 * Folders stay here, and what is chosen on a widget is there at once. A cell that nobody reads from may be there for what it
 * does to files, which no colleague has done here.
 */
const isShareable = ({ cell, annotations }: CellWork, { neverCached, consumed }: CellFacts): boolean =>
  !neverCached &&
  annotations.outputDirs.length === 0 &&
  kindOf(cell.language) !== 'controls' &&
  (consumed.length > 0 || !mayTouchFiles(cell.source));
