// One socket of a session: reads frames one after another, asks for each whether this caller may send it, and hands it to
// the session. Knows roles and scopes, not notebooks.
import type { WebSocket } from 'ws';
import { type Caller, holds } from '../identity/index.ts';
import { type ClientFrame, frameProtocol, frameScopes, heartbeat, oldestFrameProtocol } from '../protocol/index.ts';
import { readFrame } from './frames.ts';
import type { Hub, Member } from './hub.ts';

export interface SocketSession {
  readonly sessionId: string;
  readonly hub: Hub;
  /** Somebody did something with the notebook: its idle time begins anew. */
  touch(): void;
  handle(frame: ClientFrame, from: Member, caller: Caller): Promise<void>;
  /** The last socket of the notebook has gone, or one is here again. */
  /** `wasCut`: of the one that has just gone nothing was heard for a while; nobody closed it. */
  socketsChanged(count: number, wasCut?: boolean): void;
}

export interface ConnectionOptions {
  readonly caller: Caller;
  readonly viewer: boolean;
  readonly keepsValues?: boolean;
  /** It is told now and then that the line holds, and answers whoever asks the same of it. */
  readonly isBeating?: boolean;
  /** The version of the frames that it speaks. */
  readonly protocol?: number;
  /** False when the credentials that opened the socket no longer hold. */
  stillValid(): Promise<boolean>;
  readonly now?: () => number;
}

const viewerFrames = new Set(['widget_update', 'notebook_sync']);
/** Frames that only look: they do not count as activity. */
const passive = new Set(['notebook_sync', 'impact_preview_request', 'profiling_request']);
const recheckMilliseconds = 5000;
/** Rounds of that length in which nothing came from somebody whose line is then held to be cut. */
const silentRounds = 6;
/** Frames of one socket that wait their turn; until some are done no more are read, and the sender has to wait. */
const maxWaiting = 64;
/** The same of their characters: what waits lies in memory, and nobody's flood shall fill it. */
const maxWaitingCharacters = 1024 * 1024;

export function connect(socket: WebSocket, session: SocketSession, options: ConnectionOptions): void {
  const { caller, viewer, stillValid, protocol = frameProtocol, now = () => performance.now() } = options;
  const { hub } = session;
  if (!(protocol >= oldestFrameProtocol)) {
    hub.turnAway(
      socket,
      'client_too_old',
      'The server is newer than this page or program. Reload the page, or update the program.',
    );
    return;
  }
  const member = hub.join(socket, session.sessionId, caller.principal ?? 'local', {
    keepsValues: options.keepsValues ?? false,
    mayAnswer: !viewer && holds(caller, 'notebook:execute'),
  });
  session.socketsChanged(hub.members.size);
  hub.announcePresence();
  hub.tellStanding(member);
  let checkedAt = now();
  let inTurn: Promise<void> = Promise.resolve();
  let waiting = 0;
  let waitingCharacters = 0;
  const isFull = (): boolean => waiting >= maxWaiting || waitingCharacters >= maxWaitingCharacters;

  const refuse = (error: string, code?: string): void =>
    hub.answer(member, 'error', { error, ...(code === undefined ? {} : { code }) });

  const refuseViewer = (): void => refuse('This connection may only look.', 'read_only');

  /** Keys may end while a socket is open: asked at every frame that changes something, now and then at the others. */
  async function isStillWelcome(frame: ClientFrame): Promise<boolean> {
    const reads = frameScopes[frame.type] === 'notebook:read';
    if (reads && now() - checkedAt < recheckMilliseconds) return true;
    checkedAt = now();
    return stillValid();
  }

  async function take(data: string | undefined): Promise<void> {
    const read = readFrame(data);
    // Whatever it was, a viewer may not send it.
    if ('problem' in read) return viewer && !viewerFrames.has(read.type ?? '') ? refuseViewer() : refuse(read.problem);
    const { frame } = read;
    if (!passive.has(frame.type)) session.touch();
    if (!(await isStillWelcome(frame))) return socket.close(1008, 'Unauthorized');
    const scope = frameScopes[frame.type];
    if (!holds(caller, scope)) return refuse(`This frame requires the ${scope} scope`, 'insufficient_scope');
    if (viewer && !viewerFrames.has(frame.type)) return refuseViewer();
    await session.handle(frame, member, caller);
  }

  // Who only listens is asked as well: frames go out to nobody whose key has ended.
  const watch = setInterval(() => {
    stillValid().then(
      (isValid) => isValid || socket.close(1008, 'Unauthorized'),
      () => socket.close(1011, 'Internal error'),
    );
    if (options.isBeating === true) beat();
  }, recheckMilliseconds).unref();

  /** A line that is cut in the middle closes at neither end: who was there would stay among those who look. */
  let silent = 0;
  const isCut = (): boolean => silent > silentRounds;
  function beat(): void {
    silent = socket.isPaused ? 0 : silent + 1;
    if (isCut()) socket.terminate();
    else {
      socket.ping();
      // Where much waits to be read already, that tells enough.
      if (socket.bufferedAmount === 0) socket.send(heartbeat);
    }
  }
  socket.on('pong', () => {
    silent = 0;
  });

  socket.on('message', (data, isBinary) => {
    const text = isBinary ? undefined : data.toString();
    const length = text?.length ?? 0;
    waiting += 1;
    waitingCharacters += length;
    if (isFull()) socket.pause();
    inTurn = inTurn
      .then(() => take(text))
      .catch(() => socket.close(1011, 'Internal error'))
      .finally(() => {
        waiting -= 1;
        waitingCharacters -= length;
        if (socket.isPaused && !isFull()) socket.resume();
      });
  });
  socket.on('close', () => {
    clearInterval(watch);
    hub.leave(member);
    session.socketsChanged(hub.members.size, isCut());
    hub.announcePresence();
  });
  socket.on('error', () => socket.terminate());
}
