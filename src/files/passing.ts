// What the machine could not do at this moment says nothing about the file.
const codes: ReadonlySet<unknown> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN']);

/** Whether the same may succeed a moment later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && codes.has(error.code);
