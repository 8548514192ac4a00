// What the frames of a socket do to the notebook of their session: one handler for each type.
import { actAs, type Caller } from '../identity/index.ts';
import type { OpenSession } from '../notebook/index.ts';
import type { ClientFrame } from '../protocol/index.ts';
import type { SocketSession } from './connection.ts';
import { editFrames } from './editFrames.ts';
import type { Grace } from './grace.ts';
import type { Hub, Member } from './hub.ts';
import { lookFrames } from './lookFrames.ts';
import { runFrames } from './runFrames.ts';
import { type FrameType, type Handlers, handled, socketParts } from './socketParts.ts';

/** `grace`: of the notebook, which is watched by the sockets of all its sessions. */
export function createSessionSocket(session: OpenSession, hub: Hub, grace: Grace): SocketSession {
  const { live } = session;
  const parts = socketParts(session, hub, grace);
  const handlers: Handlers<FrameType> = { ...lookFrames(parts), ...editFrames(parts), ...runFrames(parts, act) };

  async function act(frame: ClientFrame, member: Member, caller: Caller): Promise<void> {
    await handled(handlers, frame, member, caller);
  }

  return {
    sessionId: session.sessionId,
    hub,
    touch: session.touch,
    async handle(frame, member, caller) {
      try {
        await actAs(caller, () => act(frame, member, caller), live.notebook().id);
      } catch (error) {
        if (!parts.tellRefusal(member, error)) throw error;
      }
    },
    socketsChanged: grace.socketsChanged,
  };
}
