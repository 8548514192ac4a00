// The whole page takes files that are dropped on it.
import { type ReactNode, useState } from 'react';
import type { FileBeside } from '../filesBeside.ts';
import { droppedFiles } from './broughtFiles.ts';

/** `onFiles`: null for whom nothing is imported. */
export function DropZone(props: { onFiles: ((files: readonly FileBeside[]) => void) | null; children: ReactNode }) {
  const { onFiles, children } = props;
  const [isOver, setOver] = useState(false);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a second way; the buttons are the first
    <div
      className={isOver ? 'drop-zone over' : 'drop-zone'}
      onDragOver={(event) => {
        if (!event.dataTransfer.types.includes('Files')) return;
        event.preventDefault();
        setOver(onFiles !== null);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        void droppedFiles(event.dataTransfer).then((files) => files.length > 0 && onFiles?.(files));
      }}
    >
      {children}
    </div>
  );
}
