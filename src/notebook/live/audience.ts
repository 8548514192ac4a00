// Everybody who watches an open notebook, as the notebook sees them: it tells, they listen. Sockets satisfy it.

export interface ConsoleChunk {
  readonly cellId: string;
  readonly stream: 'stdout' | 'stderr';
  /** Null for what follows when the run has ended. */
  readonly chunkSeq: number | null;
  readonly text: string;
}

export interface Audience {
  broadcast(type: string, payload: object): void;
  console(chunk: ConsoleChunk): void;
  /** Whether somebody among them may answer what cells ask. */
  isAnswered(): boolean;
}
