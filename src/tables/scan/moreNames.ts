// Names that others want for the result of a scan that is on its way already.
import type { Actor, Artifacts, ArtifactVersion } from '../../artifacts/index.ts';
import type { Log } from '../../observability/index.ts';

export interface MoreNames {
  /** False once the result is being stored. */
  add(name: string, actor: Actor): boolean;
  close(): void;
  /** The result is stored: a name that cannot be written is its asker's trouble alone. */
  write(artifacts: Artifacts, version: ArtifactVersion): Promise<void>;
}

export function createMoreNames(log: Log): MoreNames {
  const wanted: { readonly name: string; readonly actor: Actor }[] = [];
  let isClosed = false;
  return {
    add(name, actor) {
      if (!isClosed) wanted.push({ name, actor });
      return !isClosed;
    },
    close() {
      isClosed = true;
    },
    async write({ versions }, { provenanceHash }) {
      for (const { name, actor } of wanted)
        await versions
          .nameReady(actor, provenanceHash, name)
          .catch((error: unknown) => log.error('A name of a scan was not written', { error, name }));
    },
  };
}
