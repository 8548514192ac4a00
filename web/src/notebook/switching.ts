// What is on or off for everybody who has the notebook open, switched by whoever may edit; it can be taken back.
import * as api from '../api/index.ts';
import { announce } from '../ui/index.ts';
import type { NotebookSession } from './session.ts';

interface Switch {
  readonly isOn: boolean;
  set(isOn: boolean): Promise<unknown>;
  /** For the undo, and as it is told. */
  readonly titles: { readonly on: string; readonly off: string };
  readonly told: { readonly on: string; readonly off: string };
}

async function turn(session: NotebookSession, { isOn, set, titles, told }: Switch): Promise<void> {
  const side = isOn ? 'on' : 'off';
  try {
    await session.undo.inTurn(async () => {
      await set(isOn);
      session.undo.did(
        titles[side],
        () => set(!isOn),
        () => set(isOn),
      );
    });
    announce(told[side]);
  } catch (error) {
    session.store.send({ kind: 'noticed', text: api.messageOf(error), tone: 'error' });
  }
}

export const turnReactive = (session: NotebookSession): Promise<void> =>
  turn(session, {
    isOn: !session.store.get().reactive,
    set: (isOn) => api.setReactive(session.sessionId, isOn),
    titles: { on: 'making the notebook reactive', off: 'turning reactive mode off' },
    told: { on: 'Reactive: cheap cells follow by themselves', off: 'Cells run when you run them' },
  });

/** All variants of the group count side by side, or the chosen one alone. */
export const turnSweep = (session: NotebookSession, group: string, isOn: boolean): Promise<void> =>
  turn(session, {
    isOn,
    set: (isSweep) => api.setVariantMode(session.sessionId, group, isSweep ? 'sweep' : 'switch'),
    titles: { on: `running all variants of ${group}`, off: `running one variant of ${group}` },
    told: { on: `All variants of ${group} run`, off: `The chosen variant of ${group} runs` },
  });
