// Those who watch an open notebook, as the sockets of this server know them.
import type { CloseReason, NotebookAudience } from '../notebook/index.ts';
import type { Hubs } from '../ws/index.ts';

const farewells: Readonly<Record<CloseReason, string>> = {
  idle: 'The session was closed after a period without activity; open the notebook again to go on.',
  session_limit: 'The session was closed to make room for others; open the notebook again to go on.',
  memory: 'The session was closed because memory is short; open the notebook again to go on.',
  closed: 'The session was closed.',
  deleted:
    'The folder of this notebook was moved or deleted. What you typed and was not saved is kept in this browser.',
  shutdown: 'The server is stopping; open the notebook again when it is back.',
};

export function audienceIn(hubs: Hubs, openingId: string): NotebookAudience {
  const hub = hubs.of(openingId);
  return {
    broadcast: (type, payload) => hub.broadcast(type, payload),
    console: (chunk) => hub.console(chunk),
    isAnswered: () => [...hub.members].some(({ mayAnswer }) => mayAnswer),
    admit: (sessionId) => hubs.share(sessionId, openingId),
    dismiss(sessionId, reason) {
      hub.close(sessionId, reason, farewells[reason]);
      hubs.forget(sessionId);
    },
    end: () => hubs.forget(openingId),
  };
}
