// Files that were chosen or dropped together with a notebook, kept while this tab is open: those that its cells name are offered
// once it is there.

/** A file by its path from the notebook's own. */
export interface FileBeside {
  readonly path: string;
  readonly file: File;
}

const kept = new Map<string, readonly FileBeside[]>();

/** By the path of the notebook that was made of it. */
export function keepBeside(notebook: string, files: readonly FileBeside[]): void {
  kept.clear();
  kept.set(notebook, files);
}

export const besideOf = (notebook: string): readonly FileBeside[] => kept.get(notebook) ?? [];
