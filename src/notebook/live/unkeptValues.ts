// Values that can neither be kept nor made anew (a generator of a cell that wrote files): whoever reads one is told before its run
// that the cells have to be joined. Known from the last run of the cell that makes it, while its source is the one that ran.
import type { JoinAdvice } from '../../protocol/index.ts';
import type { RunResult } from '../../runtimes/index.ts';
import type { SessionState } from '../state/index.ts';
import type { CellNotes } from './cellNotes.ts';

export interface UnkeptValues {
  adviceFor(cellId: string): readonly JoinAdvice[];
  /** Every cell that there is advice for. */
  advised(): readonly string[];
  /** A run that came to its end; gives the cells that may look different now. */
  seen(cellId: string, run: RunResult): Promise<readonly string[]>;
}

export function createUnkeptValues({
  notes,
  session,
}: {
  readonly notes: CellNotes;
  readonly session: () => SessionState;
}): UnkeptValues {
  /** By name, what the cell made when it last ran as it is. */
  function unkeptOf(cellId: string): Readonly<Record<string, string>> {
    const { unkept } = notes.of(cellId);
    return unkept?.source_digest === session().facts.get(cellId)?.sourceDigest ? (unkept?.values ?? {}) : {};
  }

  const readersOf = (maker: string, name: string): string[] =>
    session().graph.order.filter((id) => wiresOf(id).some(({ from, variable }) => from === maker && variable === name));

  const wiresOf = (cellId: string) => session().graph.wires.get(cellId) ?? [];

  /** Of a cell that failed since others read what it made. */
  function asMaker(cellId: string): JoinAdvice[] {
    if (session().cells.get(cellId)?.status !== 'error') return [];
    return Object.entries(unkeptOf(cellId)).flatMap(([name, kind]) => {
      const readers = readersOf(cellId, name);
      return readers.length === 0 ? [] : [adviceOf(name, kind, [cellId, ...readers])];
    });
  }

  function asReader(cellId: string): JoinAdvice[] {
    const status = session().cells.get(cellId)?.status;
    if (status === 'ready' || status === 'running') return [];
    return wiresOf(cellId).flatMap(({ from, variable }) => {
      const kind = unkeptOf(from)[variable];
      return kind === undefined ? [] : [adviceOf(variable, kind, [from, cellId])];
    });
  }

  const adviceFor = (cellId: string): JoinAdvice[] => [...asMaker(cellId), ...asReader(cellId)];

  return {
    adviceFor,
    advised() {
      const { order } = session().graph;
      return order.some((id) => notes.of(id).unkept !== null) ? order.filter((id) => adviceFor(id).length > 0) : [];
    },

    async seen(cellId, { variables }) {
      const source_digest = session().facts.get(cellId)?.sourceDigest ?? '';
      const found = Object.entries(variables).flatMap(([name, { unkept }]) =>
        unkept === undefined ? [] : [[name, unkept]],
      );
      const before = notes.of(cellId).unkept;
      if (found.length === 0 && before === null) return [];
      const readers = Object.keys({ ...before?.values, ...Object.fromEntries(found) }).flatMap((name) =>
        readersOf(cellId, name),
      );
      const unkept = found.length === 0 ? null : { source_digest, values: Object.fromEntries(found) };
      await notes.write(cellId, { unkept });
      return readers;
    },
  };
}

const adviceOf = (name: string, kind: string, cellIds: string[]): JoinAdvice => ({
  name,
  kind,
  cell_ids: cellIds,
  message: `\`${name}\` is ${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind} and cannot be kept: join these cells`,
});
