// A slow reader slows down whoever sends to it: nothing heaps up between a socket and what is written from it.
import type { Writable } from 'node:stream';
import type { WebSocket } from 'ws';

/** Passes a piece on. The socket is not read until there is room for more, or nobody left to write to. */
export function passOn(
  bytes: Uint8Array,
  taker: Pick<Writable, 'destroyed' | 'write' | 'on' | 'off'>,
  socket: WebSocket,
): void {
  if (taker.destroyed || taker.write(bytes) || socket.isPaused) return;
  socket.pause();
  const go = (): void => {
    taker.off('drain', go).off('close', go);
    socket.resume();
  };
  taker.on('drain', go).on('close', go);
}
