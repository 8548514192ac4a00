// The sockets of one open notebook, whichever session they came through: numbers every frame from one counter, sends it to
// all or to one, and keeps slow readers from holding up the rest. Knows nothing of notebooks.
import type { WebSocket } from 'ws';
import { type Cursors, createCursors } from './cursors.ts';
import { type ConsoleText, createOutbox, type Outbox, type OutgoingSocket } from './outbox.ts';
import { createPresence, type Presence } from './presence.ts';

type MemberSocket = OutgoingSocket & Pick<WebSocket, 'close'>;

export interface Member {
  readonly socket: MemberSocket;
  /** The session through which it came. */
  readonly sessionId: string;
  readonly outbox: Outbox;
  /** Runs that it starts store their data for cells that are yet to be written. */
  readonly keepsValues: boolean;
  /** Whether it may answer what cells ask. */
  readonly mayAnswer: boolean;
}

export type MemberRights = Partial<Pick<Member, 'keepsValues' | 'mayAnswer'>>;

export interface Hub {
  readonly presence: Presence;
  readonly cursors: Cursors;
  readonly members: ReadonlySet<Member>;
  join(socket: MemberSocket, sessionId: string, principal: string, rights?: MemberRights): Member;
  leave(member: Member): void;
  /** One number on every socket. A payload that names a session names the reader's own. */
  broadcast(type: string, payload: object): void;
  /** The same with a payload that is JSON already; one socket may get another under the same number. */
  broadcastJson(type: string, json: () => string, exception?: { readonly member: Member; json(): string }): void;
  /** Told to all, and to whoever joins as long as it `holds`. */
  stand(type: string, payload: object, holds: boolean): void;
  /** Tells one who has just joined what holds. */
  tellStanding(member: Member): void;
  console(chunk: Omit<ConsoleText, 'seq'>): void;
  /** To one socket only; it draws a number all the same, so others see a gap. */
  answer(member: Member, type: string, payload: object): void;
  /** Who is there: at once where few are, and gathered where many are. */
  announcePresence(): void;
  /** Tells a socket that never joined why it may not, and ends it. */
  turnAway(socket: WebSocket, reason: string, message: string): void;
  /** Ends the sockets of one session. */
  close(sessionId: string, reason: string, message: string): void;
}

/** Each change tells everybody of everybody: of so many that is little. */
const fewMembers = 20;
/** So long changes are gathered where more are. */
const gatherMilliseconds = 100;

/** How often a socket that has fallen behind is looked at. */
const flushMilliseconds = 20;

export function createHub(now: () => Date = () => new Date()): Hub {
  const members = new Set<Member>();
  const presence = createPresence();
  const cursors = createCursors(presence.identityOf, () => hub.broadcast('cursors', { cursors: cursors.list() }));
  const standing = new Map<string, object>();
  let sequence = 0;
  let timer: NodeJS.Timeout | undefined;
  let telling: NodeJS.Timeout | undefined;

  const wrapped = (type: string, seq: number, json: string): string =>
    `{"type":"${type}","seq":${seq},"ts":"${stamp(now())}","payload":${json}}`;

  const numbered = (type: string, seq: number, payload: object): string => wrapped(type, seq, JSON.stringify(payload));

  const envelope = (type: string, payload: object): string => numbered(type, ++sequence, payload);

  const consoleFrame = ({ cellId, stream, chunkSeq, text, seq }: ConsoleText): string =>
    numbered('cell_console', seq, { cell_id: cellId, stream, text, chunk_seq: chunkSeq });

  const toldToSync = (): string =>
    envelope('error', {
      error: 'This connection reads too slowly and has missed frames; send notebook_sync.',
      code: 'sync_required',
    });

  /** As long as one is behind: a thousand sockets that read what they get cost nothing. */
  function watchSlowReaders(): void {
    timer ??= setInterval(() => {
      for (const { outbox } of members) outbox.flush();
      if (!members.values().some(({ outbox }) => outbox.isBehind)) stopWatching();
    }, flushMilliseconds).unref();
  }

  function stopWatching(): void {
    clearInterval(timer);
    timer = undefined;
  }

  function tellPresence(): void {
    clearTimeout(telling);
    telling = undefined;
    const principals = JSON.stringify(presence.list());
    const seq = ++sequence;
    for (const member of members) {
      const you = JSON.stringify(presence.identityOf(member));
      member.outbox.frame(wrapped('presence', seq, `{"principals":${principals},"you":${you}}`));
    }
  }

  const hub: Hub = {
    presence,
    cursors,
    members,
    join(socket, sessionId, principal, { keepsValues = false, mayAnswer = false } = {}) {
      const outbox = createOutbox(socket, consoleFrame, toldToSync, watchSlowReaders);
      const member: Member = { socket, sessionId, outbox, keepsValues, mayAnswer };
      members.add(member);
      presence.join(member, principal);
      cursors.joined();
      return member;
    },
    leave(member) {
      members.delete(member);
      cursors.move(member, null);
      presence.leave(member);
      if (members.size > 0) return;
      stopWatching();
      clearTimeout(telling);
      telling = undefined;
      cursors.stop();
    },
    broadcast(type, payload) {
      if (!('session_id' in payload)) return this.broadcastJson(type, () => JSON.stringify(payload));
      const seq = ++sequence;
      for (const [sessionId, readers] of Map.groupBy(members, (member) => member.sessionId)) {
        const text = numbered(type, seq, { ...payload, session_id: sessionId });
        for (const { outbox } of readers) outbox.frame(text);
      }
    },
    broadcastJson(type, json, exception) {
      const seq = ++sequence;
      // Printed for the first who reads it: of a large notebook it is most of an edit's time.
      let text: string | undefined;
      for (const member of members) {
        if (member === exception?.member) member.outbox.frame(wrapped(type, seq, exception.json()));
        else {
          text ??= wrapped(type, seq, json());
          member.outbox.frame(text);
        }
      }
    },
    stand(type, payload, holds) {
      if (holds) standing.set(type, payload);
      else standing.delete(type);
      this.broadcast(type, payload);
    },
    tellStanding(member) {
      for (const [type, payload] of standing) this.answer(member, type, payload);
    },
    console(chunk) {
      const numberedChunk = { ...chunk, seq: ++sequence };
      const frame = consoleFrame(numberedChunk);
      for (const { outbox } of members) outbox.console(numberedChunk, frame);
    },
    answer(member, type, payload) {
      if (type === 'notebook_state') member.outbox.caughtUp();
      member.outbox.frame(envelope(type, payload));
    },
    announcePresence() {
      if (members.size <= fewMembers) tellPresence();
      else telling ??= setTimeout(tellPresence, gatherMilliseconds).unref();
    },
    turnAway(socket, reason, message) {
      socket.send(numbered('session_closed', 1, { reason, message }));
      socket.close(1000, 'Session closed');
    },
    close(sessionId, reason, message) {
      const frame = envelope('session_closed', { reason, message });
      for (const { socket, outbox } of [...members].filter((member) => member.sessionId === sessionId)) {
        outbox.frame(frame);
        outbox.flush();
        socket.close(1000, 'Session closed');
      }
    },
  };
  return hub;
}

/** Microseconds as clients of the protocol expect them. */
const stamp = (date: Date): string => date.toISOString().replace('Z', '000Z');
