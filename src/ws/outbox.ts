// What waits to be sent to one socket. A reader that falls behind never slows a run or another reader: console text for it
// is joined while it waits, and when even that is too much, frames are dropped and it is told to ask for the state anew.

export interface OutgoingSocket {
  readonly bufferedAmount: number;
  send(text: string): void;
}

/** Text that may be joined with what follows it in the same stream of the same cell. */
export interface ConsoleText {
  readonly cellId: string;
  readonly stream: 'stdout' | 'stderr';
  /** Null for what follows when the run has ended. */
  readonly chunkSeq: number | null;
  readonly text: string;
  /** Its number among all frames; joined text takes the last one, so that order holds. */
  readonly seq: number;
}

export interface Outbox {
  frame(text: string): void;
  /** `frame` is the chunk as it is sent when nothing waits. */
  console(chunk: ConsoleText, frame: string): void;
  /** Sends on what waited, as far as the socket takes it. */
  flush(): void;
  /** Whether something waits. */
  readonly isBehind: boolean;
  /** True from the first dropped frame until the state was sent. */
  readonly lagging: boolean;
  /** The reader has asked for the state: what follows it is in order again. */
  caughtUp(): void;
}

/** Beyond this the socket is left alone until it has read on. */
const pauseBytes = 1024 * 1024;
/** Beyond this the reader has lost the thread. */
const dropBytes = 16 * 1024 * 1024;

type Waiting = { readonly frame: string } | { console: ConsoleText };

export function createOutbox(
  socket: OutgoingSocket,
  wrap: (chunk: ConsoleText) => string,
  toldToSync: () => string,
  /** Something waits that has to be sent on later. */
  onBehind: () => void,
): Outbox {
  let waiting: Waiting[] = [];
  let waitingBytes = 0;
  let lagging = false;

  const isPaused = (): boolean => waiting.length > 0 || socket.bufferedAmount > pauseBytes;

  function drop(): void {
    waiting = [{ frame: toldToSync() }];
    waitingBytes = 0;
    lagging = true;
  }

  function hold(item: Waiting, bytes: number): void {
    waiting.push(item);
    waitingBytes += bytes;
    if (waitingBytes > dropBytes) drop();
    onBehind();
  }

  return {
    get lagging() {
      return lagging;
    },
    get isBehind() {
      return waiting.length > 0;
    },
    frame(text) {
      if (lagging) return;
      if (isPaused()) hold({ frame: text }, text.length);
      else socket.send(text);
    },
    console(chunk, frame) {
      if (lagging) return;
      if (!isPaused()) return socket.send(frame);
      const last = waiting.at(-1);
      if (last && 'console' in last && last.console.cellId === chunk.cellId && last.console.stream === chunk.stream) {
        last.console = { ...last.console, seq: chunk.seq, text: last.console.text + chunk.text };
        waitingBytes += chunk.text.length;
        if (waitingBytes > dropBytes) drop();
      } else hold({ console: chunk }, chunk.text.length);
    },
    flush() {
      while (waiting.length > 0 && socket.bufferedAmount <= pauseBytes) {
        const next = waiting.shift();
        if (!next) continue;
        waitingBytes -= 'frame' in next ? next.frame.length : next.console.text.length;
        socket.send('frame' in next ? next.frame : wrap(next.console));
      }
      if (waiting.length === 0) waitingBytes = 0;
    },
    caughtUp() {
      lagging = false;
      waiting = [];
      waitingBytes = 0;
    },
  };
}
