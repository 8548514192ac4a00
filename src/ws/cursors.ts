// Where people have their cursors. Told of as they stand, all at once and a few times a second at most: whoever missed one
// telling knows everything with the next. Nothing of it is kept.

export interface Cursor {
  readonly cell_id: string;
  /** Where a selection begins, and where it is moved; in UTF-16 units. */
  readonly anchor: number;
  readonly head: number;
}

export type NamedCursor = Cursor & { readonly principal: string };

export interface Cursors {
  /** Null: in no text. */
  move(connection: object, cursor: Cursor | null): void;
  /** Somebody new is told where the others are. */
  joined(): void;
  list(): NamedCursor[];
  stop(): void;
}

const pauseMilliseconds = 60;

export function createCursors(identityOf: (connection: object) => string, tell: () => void): Cursors {
  const cursors = new Map<object, Cursor>();
  let timer: NodeJS.Timeout | undefined;

  function tellSoon(): void {
    timer ??= setTimeout(() => {
      timer = undefined;
      tell();
    }, pauseMilliseconds).unref();
  }

  return {
    move(connection, cursor) {
      const wasThere = cursors.delete(connection);
      // Joined anew at the end: of several tabs of one identity the one that moved last is shown.
      if (cursor) cursors.set(connection, cursor);
      if (wasThere || cursor) tellSoon();
    },
    joined() {
      if (cursors.size > 0) tellSoon();
    },
    list() {
      const named = new Map<string, NamedCursor>();
      for (const [connection, cursor] of cursors) {
        const principal = identityOf(connection);
        named.set(principal, { principal, ...cursor });
      }
      return [...named.values()].sort((a, b) => (a.principal < b.principal ? -1 : 1));
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
