// The one way an edit reaches `notebook.toml`: read again, change one thing, write whole or not at all. Edits of one
// notebook take turns. A document that an edit leaves as it was is not written.

import { statSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { elementsOf, type Layout, printLayout, putKey, sameData, tomlRaw, withElements } from '../../toml/index.ts';
import { replaceAtomically } from './atomicWrite.ts';
import { notebookFilePath, readNotebookFile } from './files.ts';
import type { Notebook } from './notebook.ts';
import { identityNow } from './ownWrites.ts';
import { type ParsedFile, parseNotebookFile } from './parse.ts';
import { notebookAfterEdit } from './read.ts';
import { connectionSchema, secretManagerKeys, utc } from './schema.ts';
import { authOnDisk, envOnDisk } from './secrets.ts';
import { noLoneSurrogates } from './text.ts';
import { touchedTwice } from './touchedTwice.ts';

export type Edit = (parsed: ParsedFile) => Layout;

export interface SaveOptions {
  /** Authorship is not structure: it leaves `updated_at` alone. */
  readonly structural?: boolean;
  readonly now?: () => Temporal.Instant;
}

/** Applies `edit`; `notebook` holds the values that stay in memory and the sources already read. */
export function saveEdit(notebook: Notebook, edit: Edit, options: SaveOptions = {}): Promise<Notebook> {
  return inTurnAt(notebook.directory, () => saveEditNow(notebook, edit, options));
}

/** For an operation that already holds the notebook's turn. */
export async function saveEditNow(notebook: Notebook, edit: Edit, options: SaveOptions = {}): Promise<Notebook> {
  const { structural = true, now = Temporal.Now.instant } = options;
  const place = notebookFilePath(notebook.directory);
  const { identity, written } = await readWhole(notebook);
  const { text, restore } = plainText(written);
  const before = parseNotebookFile(text);
  const edited = printLayout(edit(before));
  if (edited === text) return notebookAfterEdit(notebook, before.file, written);
  const after = parseNotebookFile(edited);
  // Who edited last is nobody's to lose.
  const refusal =
    structural && written !== notebook.text
      ? touchedTwice(parseNotebookFile(plainText(notebook.text).text).data, before.data, after.data)
      : null;
  if (refusal) throw refusal;
  const time = structural ? now() : null;
  const blank = asKept(after);
  const layout =
    time === null ? blank : putKey(blank, [], 'updated_at', after.data.updated_at, tomlRaw(printTime(time)));
  const final = noLoneSurrogates(printLayout(layout), 'notebook file');
  const updated_at = time === null ? after.file.updated_at : utc(time);
  // Read back before it is written, unless only the time differs: parsing is most of an edit's time.
  const file = blank === after.layout ? { ...after.file, updated_at } : parseNotebookFile(final).file;
  // Somebody else wrote it meanwhile: the edit is made to what they wrote.
  if (!(await replaceAtomically(place, restore(final), identity))) return saveEditNow(notebook, edit, options);
  return notebookAfterEdit(notebook, file, restore(final));
}

/** What somebody else wrote is whole when nothing came for so long; who goes on writing is waited for so often. */
const quietMs = 50;
const mostLooks = 6;

/** Editors and agents may write in parts: an edit made to the first would take the others with it. */
async function readWhole({ directory, text }: Notebook) {
  const place = notebookFilePath(directory);
  for (let looks = 1; ; looks++) {
    const identity = identityNow(place);
    const written = await readNotebookFile(directory);
    const isOurs = written === text;
    if (isOurs || looks === mostLooks || !wasWrittenNow(place)) return { identity, written };
    await pause(quietMs);
  }
}

const wasWrittenNow = (file: string): boolean =>
  (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0) > Date.now() - quietMs;

export function printTime(instant: Temporal.Instant): string {
  return instant.toString({ fractionalSecondDigits: 6 }).replace('T', ' ').replace('Z', '+00:00');
}

/** Secrets are blank, and the secret manager has only keys that mean something. */
function asKept({ file, data, layout }: ParsedFile): Layout {
  let blank = putKey(layout, [], 'env', data.env, envOnDisk(file.env));
  for (const [key, value] of Object.entries(tableIn(data, 'secret_manager') ?? {}))
    if (!secretManagerKeys.some((known) => known === key))
      blank = putKey(blank, ['secret_manager'], key, value, undefined);
  for (const [name, body] of Object.entries(file.connections)) {
    const checked = connectionSchema.safeParse(body);
    const auth = tableIn(body, 'auth');
    // What cannot be read as a connection stays as it was written.
    if (!checked.success || auth === undefined) continue;
    blank = putKey(blank, ['connections', name], 'auth', auth, authOnDisk(checked.data.auth));
  }
  const cells = tablesIn(data, 'cells');
  const isBlank = file.cells.every(({ env }, place) => {
    const current = cells[place]?.env;
    const next = envOnDisk(env);
    return next === undefined ? current === undefined : current !== undefined && sameData(current, next);
  });
  if (isBlank) return blank;
  const elements = elementsOf(blank, 'cells').map((element, place) =>
    putKey(element, ['cells'], 'env', cells[place]?.env, envOnDisk(file.cells[place]?.env ?? {})),
  );
  return withElements(blank, 'cells', elements, true);
}

/** Without byte order mark and with plain line breaks, and the way back. */
function plainText(written: string): { text: string; restore: (text: string) => string } {
  const mark = written.startsWith('\ufeff') ? '\ufeff' : '';
  const body = written.slice(mark.length);
  const plain = body.replaceAll('\r\n', '\n');
  const isWindows = plain !== body && plain.replaceAll('\n', '\r\n') === body;
  const text = isWindows ? plain : body;
  return { text, restore: (edited) => mark + (isWindows ? edited.replaceAll('\n', '\r\n') : edited) };
}

export function tablesIn(data: Readonly<Record<string, unknown>>, key: string): Record<string, unknown>[] {
  const value = data[key];
  return Array.isArray(value) ? value.map((one) => (isRecord(one) ? one : {})) : [];
}

export function tableIn(value: unknown, key: string): Record<string, unknown> | undefined {
  const found = isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  return isRecord(found) ? found : undefined;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const turns = new Map<string, Promise<unknown>>();

/** Runs `work` after all earlier work on the same directory, whether that went well or not. */
export function inTurnAt<Result>(directory: string, work: () => Promise<Result>): Promise<Result> {
  const before = turns.get(directory) ?? Promise.resolve();
  const mine = before.then(work, work);
  const ended = mine.then(
    () => {},
    () => {},
  );
  turns.set(directory, ended);
  void ended.then(() => {
    if (turns.get(directory) === ended) turns.delete(directory);
  });
  return mine;
}
