// What a cell touched beside its variables, as its process saw it.

export interface Effects {
  /** Files that it read, before it had written them itself. Absolute paths, sorted. */
  readonly read: readonly ReadFile[];
  /** How many more files it read, or may have read, than are listed. */
  readonly unwatched: number;
  readonly written: readonly string[];
  /** Folders whose names it asked for. */
  readonly listed: readonly ReadFile[];
  readonly hosts: readonly string[];
  /** Names of programs that it started. */
  readonly programs: readonly string[];
  /** Names of variables of the environment that its own code asked for. */
  readonly variables: readonly string[];
  readonly clock: boolean;
  /** It drew numbers that are others each time. */
  readonly entropy: boolean;
  /** It asked a person, or would have: `input()`, `getpass()`, `breakpoint()`. */
  readonly asked: boolean;
  /** Inputs that cannot be kept: the cells that make them were run first, in the same process. */
  readonly remade: readonly string[];
}

export interface ReadFile {
  readonly path: string;
  /** What the file was when it was opened; null when it was not there, or when nobody looked. */
  readonly identity: FileIdentity | null;
}

export interface FileIdentity {
  readonly size: number;
  readonly mtimeNs: string;
  readonly ino: string;
}

export const noEffects: Effects = {
  read: [],
  unwatched: 0,
  written: [],
  listed: [],
  hosts: [],
  programs: [],
  variables: [],
  clock: false,
  entropy: false,
  asked: false,
  remade: [],
};
