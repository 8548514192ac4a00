// Edits of an open notebook, one after the other: each is on disk, and the session looks as it says, before it is answered for.
import { refusals } from '../../errors/index.ts';
import { assertAllowed } from '../../identity/index.ts';
import { addCell, cellOf, type Notebook, readNotebook, reorderCells, setCellSource } from '../document/index.ts';
import type { Results } from '../run/index.ts';
import { carryOver, environmentsOf } from './carryOver.ts';
import type { CellNotes } from './cellNotes.ts';
import type { Current } from './current.ts';
import type { DeletedCells } from './deletedCells.ts';
import { seeSource } from './editSource.ts';
import type { History } from './history.ts';
import type { KeptFailures } from './keptFailures.ts';
import type { EditTools, LiveNotebook, LiveParts } from './live.ts';
import { newCellIn } from './newCell.ts';
import type { Runner } from './runner.ts';
import type { SoftLocks } from './softLocks.ts';

export interface EditParts extends Pick<LiveParts, 'analyseAhead' | 'onEdited'> {
  readonly current: Current;
  readonly history: History;
  readonly results: Pick<Results, 'keepAgain'>;
  readonly gate: Pick<LiveNotebook, 'assertFree'>;
  readonly locks: SoftLocks;
  readonly deleted: DeletedCells;
  readonly notes: CellNotes;
  readonly runner: Pick<Runner, 'active' | 'stop'>;
  readonly failures: Pick<KeptFailures, 'leave'>;
  /** Reads the document anew; gives the cells that look different. */
  readonly reshape: () => Promise<readonly string[]>;
  readonly announce: (cellIds: readonly string[]) => void;
}

export type Edits = Pick<
  LiveNotebook,
  | 'editCell'
  | 'addCell'
  | 'deleteCell'
  | 'restoreCell'
  | 'reorderCells'
  | 'choose'
  | 'note'
  | 'beside'
  | 'change'
  | 'refresh'
  | 'beginPackageChange'
  | 'reload'
>;

export function createEdits(parts: EditParts): Edits {
  const { current, gate, locks, deleted, notes, runner, failures, reshape, announce } = parts;

  async function edited<T>(work: () => Promise<T>): Promise<T> {
    gate.assertFree('edit');
    return current.inTurn(() => {
      assertAllowed();
      return work();
    });
  }

  async function take(notebook: Notebook): Promise<readonly string[]> {
    current.hold(notebook);
    return reshape();
  }

  const remove: EditTools['remove'] = async (from, cellId) => {
    if (runner.active()?.running.has(cellId)) await runner.stop();
    await failures.leave(cellId);
    return deleted.delete(from, current.shape(), cellId, current.session().cells.get(cellId));
  };

  return {
    editCell: (cellId, source, { author, credit = author, force, base, announce: shouldAnnounce = true }) =>
      edited(async () => {
        const seen = await seeSource(current.notebook(), cellId, { source, base, force });
        current.hold(seen.notebook);
        if (seen.refusal) {
          announce(await reshape());
          throw seen.refusal;
        }
        const held = locks.take(cellId, author, force);
        if (held) throw refusals.cellLocked(cellId, held.heldBy);
        if (cellOf(current.notebook(), cellId).language === 'python') parts.analyseAhead(source);
        const changed = await take(await setCellSource(current.notebook(), cellId, source, credit, { force }));
        if (shouldAnnounce) announce(changed);
        parts.onEdited([cellId, ...changed]);
        return changed;
      }),
    addCell: (wanted) =>
      edited(async () => {
        const added = await addCell(current.notebook(), newCellIn(current.notebook(), current.shape(), wanted));
        await take(added.notebook);
        return added.cellId;
      }),
    deleteCell: (cellId) =>
      edited(async () => {
        const gone = await remove(current.notebook(), cellId);
        parts.onEdited(await take(gone.notebook));
        return gone.warnings;
      }),
    restoreCell: (cellId) =>
      edited(async () => {
        if (current.notebook().cells.some(({ id }) => id === cellId)) return;
        const restored = await deleted.restore(current.notebook(), cellId);
        if (!restored) throw refusals.cellNotRemembered(cellId);
        current.hold(restored.notebook);
        current.apply({ type: 'returned', cellId, cell: restored.state });
        parts.onEdited([cellId, ...(await reshape())]);
      }),
    reorderCells: (cellIds) =>
      edited(async () => {
        parts.onEdited(await take(await reorderCells(current.notebook(), cellIds)));
      }),
    choose: (cellId, usable) =>
      current.inTurn(async () => {
        assertAllowed();
        gate.assertFree('run');
        const values = usable(current.shape());
        const before = notes.of(cellId).widget_values;
        await notes.write(cellId, { widget_values: { ...before, ...values } });
        await reshape();
      }),
    async note(cellId, change) {
      gate.assertFree('edit');
      await current.inTurn(() => notes.write(cellId, change));
    },
    beside: edited,
    change: (edit) =>
      edited(async () => {
        parts.onEdited(await take(await edit(current.notebook(), { shape: current.shape(), locks, remove })));
      }),
    refresh: (fetched) =>
      current.inTurn(async () => {
        await take({ ...current.notebook(), fetched });
      }),
    beginPackageChange() {
      const before = environmentsOf(current.session());
      return (couldNotice) =>
        current.inTurn(async () => {
          await reshape();
          const notebook = current.notebook();
          if (couldNotice && !notebook.strictPackages) await carryOver(parts, before, couldNotice);
          const { cells } = current.session();
          return notebook.cells.map(({ id }) => id).filter((id) => cells.get(id)?.status !== 'ready');
        });
    },
    reload: () =>
      current.inTurn(async () => {
        const { directory } = current.notebook();
        parts.onEdited(await take(await readNotebook(directory, current.notebook())));
      }),
  };
}
