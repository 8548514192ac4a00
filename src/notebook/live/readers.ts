// Which cells of a notebook read which names of the registry.
import { referenceOf } from '../outside/index.ts';
import type { LiveNotebook } from './live.ts';

export interface DatasetReader {
  /** Of the registry, without alias or version. */
  readonly name: string;
  readonly notebookId: string;
  readonly cellId: string;
  /** As the cell names it. */
  readonly reference: string;
}

/** Each cell once a name, in the order of the notebook. */
export function readersIn(live: Pick<LiveNotebook, 'notebook' | 'shape'>): DatasetReader[] {
  const { id: notebookId, cells } = live.notebook();
  return cells.flatMap(({ id: cellId }) => {
    const datasets = live.shape().cells.get(cellId)?.directives.datasets ?? [];
    const byName = new Map(datasets.map((dataset) => [dataset.registryName, referenceOf(dataset)]));
    return [...byName].map(([name, reference]) => ({ name, notebookId, cellId, reference }));
  });
}
