// What happens when nobody watches a notebook any more: for a while everything goes on, then what was started over its sockets
// is cancelled and prompts are closed. Runs that came another way belong to whoever asked for them.

/** How long a notebook without a socket keeps running what its last viewers started. */
const graceMilliseconds = 60_000;
/** The same where nobody has left: a laptop that is carried to the next room sleeps, and its owner comes back to the run. */
const cutGraceMilliseconds = 15 * 60_000;

export interface Watched {
  /** The number of the run that is active. */
  active(): number | null;
  stop(): void;
  closePrompts(): void;
}

export interface Grace {
  /** A socket has started what runs now. */
  started(): void;
  /** The last socket has gone, or one is here again. `wasCut`: nobody closed it, it only fell silent. */
  socketsChanged(count: number, wasCut?: boolean): void;
}

export function createGrace({ active, stop, closePrompts }: Watched): Grace {
  let own: number | null = null;
  let timer: NodeJS.Timeout | undefined;
  return {
    started() {
      own = active();
    },
    socketsChanged(count, wasCut = false) {
      clearTimeout(timer);
      if (count > 0) return;
      const end = (): void => {
        if (own !== null && active() === own) stop();
        closePrompts();
      };
      timer = setTimeout(end, wasCut ? cutGraceMilliseconds : graceMilliseconds).unref();
    },
  };
}
