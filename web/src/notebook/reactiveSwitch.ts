// Turns a notebook reactive or back, for everybody who has it open; it can be taken back.
import * as api from '../api/index.ts';
import { announce } from '../ui/index.ts';
import type { NotebookSession } from './session.ts';

export async function turnReactive(session: NotebookSession): Promise<void> {
  const isOn = !session.store.get().reactive;
  try {
    await session.undo.inTurn(async () => {
      await api.setReactive(session.sessionId, isOn);
      session.undo.did(
        isOn ? 'making the notebook reactive' : 'turning reactive mode off',
        () => api.setReactive(session.sessionId, !isOn),
        () => api.setReactive(session.sessionId, isOn),
      );
    });
    announce(isOn ? 'Reactive: cheap cells follow by themselves' : 'Cells run when you run them');
  } catch (error) {
    session.store.send({ kind: 'noticed', text: api.messageOf(error), tone: 'error' });
  }
}
