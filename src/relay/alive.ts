// Notices a connection whose other end is gone without a word: a machine without power, an address translation that forgot.
import type { WebSocket } from 'ws';

const askMilliseconds = 20_000;

/** Ends the socket when it does not answer from one question to the next. */
export function keepAlive(socket: WebSocket, milliseconds = askMilliseconds): void {
  let isAnswered = true;
  const timer = setInterval(() => {
    // One that is not read cannot be heard.
    if (socket.isPaused) return;
    if (!isAnswered) socket.terminate();
    isAnswered = false;
    socket.ping();
  }, milliseconds).unref();
  socket.on('pong', () => {
    isAnswered = true;
  });
  socket.on('close', () => clearInterval(timer));
}
