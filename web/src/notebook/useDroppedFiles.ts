// A file that is dropped on a notebook would be opened by the browser in its place. It is told instead where it belongs.
import { useEffect } from 'react';
import type { NotebookSession } from './session.ts';

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;

export function useDroppedFiles({ store }: NotebookSession): void {
  useEffect(() => {
    const hold = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      const name = file?.name ?? 'it';
      const text = `Nothing was copied. Put ${name} into ${store.get().path}/work: cells read it there as "${name}".`;
      store.send({ kind: 'noticed', text, tone: 'plain' });
    };
    window.addEventListener('dragover', hold);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', hold);
      window.removeEventListener('drop', drop);
    };
  }, [store]);
}
