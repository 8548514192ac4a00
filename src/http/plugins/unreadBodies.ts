// An answer before the end of a body: the rest of it could be taken for the next request, so the connection is closed, and the
// answer says so. Closed at once, with bytes unread, the system would reset it and the answer could be lost on the way: what
// still comes is read and dropped for a while.
import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';

/** For whoever sends to see the answer and stop. */
const lingerMilliseconds = 5_000;
/** A body up to this size may have come with its head. */
const smallBytes = 64 * 1024;

export function closeUnreadBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, reply, payload, done) => {
    const { raw } = request;
    const isChunked = raw.headers['transfer-encoding'] !== undefined;
    const length = Number(raw.headers['content-length'] ?? 0);
    const decide = (): void => {
      if (!raw.complete && !raw.socket.destroyed) {
        reply.header('connection', 'close');
        linger(raw);
      }
      done(null, payload);
    };
    if (raw.complete || (!isChunked && length === 0)) done(null, payload);
    // What came with its head is seen in this turn, also where nobody reads it.
    else if (!isChunked && length <= smallBytes) setImmediate(decide);
    else decide();
  });
}

/** The platform closes the connection with `destroySoon` once it has sent an answer that ends it. */
function linger(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => {
    if (socket.destroyed) return;
    socket.end();
    // Whoever stopped in the middle may still be listening, and hold it up.
    request.removeAllListeners('readable');
    setImmediate(() => request.resume());
    const timer = setTimeout(() => socket.destroy(), lingerMilliseconds);
    socket.once('end', () => socket.destroy());
    socket.once('close', () => clearTimeout(timer));
  };
}
