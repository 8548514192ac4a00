// Cells are moved by their handle; keys do the same (Alt with an arrow).
import { type DragEvent, useState } from 'react';
import { useNotebook } from '../notebook/context.ts';
import { moveCellTo } from '../notebook/structure.ts';
import { Icon } from '../ui/index.ts';

const kind = 'application/x-svc-cell';

export function DragHandle({ cellId, label }: { cellId: string; label: string }) {
  return (
    <span
      className="drag-handle"
      draggable
      title={`Drag ${label}`}
      aria-hidden="true"
      onDragStart={(event) => {
        event.dataTransfer.setData(kind, cellId);
        event.dataTransfer.effectAllowed = 'move';
      }}
    >
      <Icon name="drag" size={14} />
    </span>
  );
}

export function useDropTarget(cellId: string) {
  const session = useNotebook();
  const [isOver, setOver] = useState(false);
  const isCell = (event: DragEvent): boolean => event.dataTransfer.types.includes(kind);
  return {
    isOver,
    handlers: {
      onDragOver(event: DragEvent) {
        if (!isCell(event)) return;
        event.preventDefault();
        setOver(true);
      },
      onDragLeave: () => setOver(false),
      onDrop(event: DragEvent) {
        if (!isCell(event)) return;
        event.preventDefault();
        setOver(false);
        void moveCellTo(session, event.dataTransfer.getData(kind), cellId);
      },
    },
  };
}
