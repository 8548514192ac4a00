// Who reads a name of the registry, in the words of the wire.
import type { DatasetReader } from '../../../notebook/index.ts';

export const readerBody = ({ notebookId, cellId, reference }: DatasetReader) => ({
  notebook_id: notebookId,
  cell_id: cellId,
  reference,
});
