// Files that are dropped on a notebook are uploaded for its cells; the browser would open them in its place.
import { useEffect, useState } from 'react';
import type { NotebookSession } from './session.ts';

const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') ?? false;

/** Whether files are held over the page now. */
export function useDroppedFiles({ uploads, view, isReadOnly }: NotebookSession): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const hold = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(!isReadOnly);
    };
    const leave = ({ relatedTarget }: DragEvent) => {
      if (relatedTarget === null) setOver(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setOver(false);
      if (isReadOnly) return;
      uploads.send(event.dataTransfer?.files ?? []);
      view.send({ kind: 'panel', panel: 'files' });
    };
    window.addEventListener('dragover', hold);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragover', hold);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, [uploads, view, isReadOnly]);
  return isOver;
}
