// What the handlers of frames share: the session, who listens, and how the sender is answered.
import { orTrouble, Refusal } from '../errors/index.ts';
import type { Caller } from '../identity/index.ts';
import type { OpenSession } from '../notebook/index.ts';
import type { ClientFrameType, ClientPayload } from '../protocol/index.ts';
import type { Grace } from './grace.ts';
import type { Hub, Member } from './hub.ts';

export type FrameType = ClientFrameType;
export type FrameOf<Type extends FrameType> = {
  [One in Type]: { readonly type: One; readonly payload: ClientPayload<One> };
}[Type];

/** Each reads, calls one thing, answers. */
export type Handlers<Types extends FrameType> = {
  readonly [Type in Types]: (frame: FrameOf<Type>, member: Member, caller: Caller) => void | Promise<void>;
};

export const handled = <Type extends FrameType>(
  handlers: Handlers<Type>,
  frame: FrameOf<Type>,
  member: Member,
  caller: Caller,
): void | Promise<void> => handlers[frame.type](frame, member, caller);

export interface SocketParts {
  readonly session: OpenSession;
  readonly hub: Hub;
  /** Of the notebook, which is watched by the sockets of all its sessions. */
  readonly grace: Grace;
  refuse(member: Member, error: string, more?: object): void;
  /** False when it was no refusal. */
  tellRefusal(member: Member, error: unknown): boolean;
  authorOf(member: Member, caller: Caller, declared: string | undefined): string;
  /** False when the notebook has no such cell: the sender was told. */
  knows(member: Member, cellId: string): boolean;
}

export function socketParts(session: OpenSession, hub: Hub, grace: Grace): SocketParts {
  const refuse: SocketParts['refuse'] = (member, error, more = {}) => hub.answer(member, 'error', { error, ...more });
  return {
    session,
    hub,
    grace,
    refuse,
    tellRefusal(member, error) {
      const refusal = orTrouble(error);
      if (!(refusal instanceof Refusal)) return false;
      const { message, ...more } = typeof refusal.detail === 'string' ? { message: refusal.detail } : refusal.detail;
      refuse(member, message, more);
      return true;
    },
    authorOf: (member, caller, declared) => caller.principal ?? (declared?.trim() || hub.presence.identityOf(member)),
    knows(member, cellId) {
      const isThere = session.live.session().facts.has(cellId);
      if (!isThere) refuse(member, `Cell ${cellId} not found`);
      return isThere;
    },
  };
}
