// A small record by key that the service keeps in a notebook's runtime directory: read once, written whole at each change.
// What could not be saved has not happened. A file that cannot be read, or is none of ours, is an empty one.
import { readOwnJson } from '../../files/index.ts';
import { writeAtomically } from './atomicWrite.ts';

export interface SavedMap<Value> {
  get(key: string): Value | undefined;
  /** Resolves when it is on disk; changes follow each other. */
  set(key: string, value: Value): Promise<void>;
  /** `make` sees what the changes before it left. */
  update(key: string, make: (before: Value | undefined) => Value): Promise<void>;
  delete(key: string): Promise<void>;
}

export interface SavedForm<Value> {
  /** Throws when the content is not what was written here. */
  parse(content: unknown): Readonly<Record<string, Value>>;
  print(entries: Readonly<Record<string, Value>>): object;
}

export async function openSavedMap<Value>(file: string, form: SavedForm<Value>): Promise<SavedMap<Value>> {
  let saved: ReadonlyMap<string, Value> = new Map(Object.entries(await read(file, form)));
  let written: Promise<unknown> = Promise.resolve();

  function change(edit: (entries: Map<string, Value>) => void): Promise<void> {
    const saving = written.then(async () => {
      const next = new Map(saved);
      edit(next);
      await writeAtomically(file, `${JSON.stringify(form.print(Object.fromEntries(next)), null, 1)}\n`);
      saved = next;
    });
    written = saving.catch(() => {});
    return saving;
  }

  return {
    get: (key) => saved.get(key),
    set: (key, value) => change((entries) => entries.set(key, value)),
    update: (key, make) => change((entries) => entries.set(key, make(entries.get(key)))),
    async delete(key) {
      await written; // a change under way may be what brings it
      if (saved.has(key)) await change((entries) => entries.delete(key));
    },
  };
}

async function read<Value>(file: string, { parse }: SavedForm<Value>): Promise<Readonly<Record<string, Value>>> {
  try {
    return parse(await readOwnJson(file));
  } catch {
    return {};
  }
}
