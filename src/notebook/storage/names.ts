// Names of notebooks, and the directory and project names that follow from them.
import { refusals } from '../../errors/index.ts';
import { unseenSign } from '../../unseenSigns.ts';

const maxNameLength = 255;
/** In bytes, and the longest that common file systems take. */
const maxDirectoryName = 255;

/** The trimmed name. Refuses what could leave the parent folder or become the folder itself. */
export function checkedNotebookName(raw: string): string {
  const name = raw.trim();
  if (name === '' || /^\.+$/.test(name))
    throw refusals.notebookNameInvalid('Notebook name must not be empty or only dots');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: NUL ends a path in the system's eyes
  if (/[/\\\u0000]/.test(name) || name.includes('..')) {
    throw refusals.notebookNameInvalid('Notebook name contains invalid characters');
  }
  if (!name.isWellFormed()) throw refusals.textNotUnicode('notebook name');
  refuseUnseen('notebook name', name);
  if (name.length > maxNameLength) {
    throw refusals.notebookNameInvalid(`Notebook name is longer than ${maxNameLength} characters`);
  }
  return name;
}

/** Of a name that is to be made. One that is there already may be asked for, if only to get rid of it. */
export function refuseUnseen(label: string, text: string): void {
  const sign = unseenSign(text);
  if (sign !== undefined) throw refusals.signUnseen(label, sign);
}

export function directoryNameFor(name: string): string {
  const directory = name.toLowerCase().replaceAll(' ', '_');
  // Such directories are other tools' own (`.git`) or ours (`.svc`), and no listing shows them.
  if (directory.startsWith('.')) throw refusals.notebookNameInvalid('Notebook name must not start with a dot');
  if (Buffer.byteLength(directory) > maxDirectoryName) {
    throw refusals.notebookNameInvalid('Notebook name is too long for a directory name; choose a shorter one');
  }
  return directory;
}

/** The name of the notebook's own project. Tools take only letters, digits, dots, dashes and underscores there. */
export function projectNameFor(name: string): string {
  const plain = name
    .toLowerCase()
    .replaceAll(' ', '-')
    .replace(/[^a-z0-9._-]/g, '')
    .replace(/^[._-]+|(?<![._-])[._-]+$/g, '');
  return plain === '' ? 'notebook' : plain;
}
