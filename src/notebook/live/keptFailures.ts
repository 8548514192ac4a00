// The process of the last failure that somebody wanted to look into: one for a notebook, so that memory stays bounded. It ends
// when its questions do, when its cell runs again, and with the notebook.
import type { Job, KeptFailure } from '../../runtimes/index.ts';

export interface KeptFailures {
  /** Where a run of this cell leaves its process when it fails. */
  placeFor(cellId: string): NonNullable<Job['keptFailure']>;
  /** The cell runs again, or is gone. */
  leave(cellId: string): Promise<void>;
  close(): Promise<void>;
}

export function createKeptFailures(mostBytes: number, fault: (error: unknown) => void): KeptFailures {
  let kept: { readonly cellId: string; readonly process: KeptFailure } | undefined;

  async function close(): Promise<void> {
    const before = kept;
    kept = undefined;
    await before?.process.close();
  }

  return {
    placeFor: (cellId) => ({
      mostBytes,
      take(process) {
        close().catch(fault);
        kept = { cellId, process };
      },
    }),
    async leave(cellId) {
      if (kept?.cellId === cellId) await close();
    },
    close,
  };
}
