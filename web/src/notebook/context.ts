// How components reach the open notebook.
import { createContext, useContext } from 'react';
import { type CellModel, type NotebookModel, useStore } from '../state/index.ts';
import type { NotebookSession } from './session.ts';
import type { View } from './view.ts';

export const NotebookContext = createContext<NotebookSession | null>(null);

export function useNotebook(): NotebookSession {
  const session = useContext(NotebookContext);
  if (!session) throw new Error('There is no notebook around this component.');
  return session;
}

export const useModel = <Picked>(pick: (model: NotebookModel) => Picked): Picked => useStore(useNotebook().store, pick);

export const useView = <Picked>(pick: (view: View) => Picked): Picked => useStore(useNotebook().view, pick);

export const useCell = (cellId: string): CellModel | undefined => useModel((model) => model.cells.get(cellId));
