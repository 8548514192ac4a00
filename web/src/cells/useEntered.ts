// The focus goes into the field of a tool when somebody opens it, and not when its cell comes back into sight.
import { type RefObject, useEffect } from 'react';
import { useNotebook } from '../notebook/context.ts';

export function useEntered(cellId: string, field: RefObject<HTMLElement | null>, hasFocus = true): void {
  const { view } = useNotebook();
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked once, when it is drawn
  useEffect(() => {
    if (view.get().toolToEnter !== cellId) return;
    view.send({ kind: 'toolEntered' });
    if (hasFocus) field.current?.focus();
  }, []);
}
