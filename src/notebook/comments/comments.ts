// What people say about cells, in `comments.json` beside the notebook: it goes where the folder goes, and under version control. It is
// read anew each time, since others may write it too. A file that cannot be read is refused and never replaced.
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { refusals } from '../../errors/index.ts';
import { readOwnFile } from '../../files/index.ts';
import { isNestedBeyond } from '../../nesting.ts';
import { type CommentRecord, commentRecord, maxCommentCharacters } from '../../protocol/index.ts';
import { createRecentlyUsed } from '../../recentlyUsed.ts';
import { identityNow, replaceAtomically } from '../document/index.ts';

export const commentsFile = 'comments.json';

/** People talk about more elsewhere. */
const mostComments = 2000;

/** Deleted ones that can come back, of the notebooks in which somebody deleted one last. */
const mostRemoved = 50;
const removed = createRecentlyUsed<readonly CommentRecord[]>(100);

const deepest = 100;
const fileSchema = z.object({ schema_version: z.literal(1), comments: z.array(commentRecord) });

export async function readComments(directory: string): Promise<readonly CommentRecord[]> {
  let text: string;
  try {
    text = String(await readOwnFile(path.join(directory, commentsFile)));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw refusals.commentsUnreadable(error instanceof Error ? error.message : String(error));
  }
  try {
    // What other programs wrote may be anything, and a deep text takes seconds to read.
    if (isNestedBeyond(text, deepest)) throw new Error('nested too deep');
    return fileSchema.parse(JSON.parse(text)).comments;
  } catch {
    throw refusals.commentsUnreadable('it is not the JSON that is written there');
  }
}

export const addComment = (
  directory: string,
  { cellId, author, text }: { readonly cellId: string; readonly author: string; readonly text: string },
): Promise<readonly CommentRecord[]> =>
  change(directory, (before) => {
    refuseTooMany(before);
    const id = randomUUID().slice(0, 8);
    return [...before, { id, cell_id: cellId, author, text, created_at: Date.now() / 1000, resolved_by: null }];
  });

/** `by`: who took care of it; null opens it again. */
export const resolveComment = (directory: string, id: string, by: string | null): Promise<readonly CommentRecord[]> =>
  change(directory, (before) => known(before, id).map((one) => (one.id === id ? { ...one, resolved_by: by } : one)));

/** Nobody puts words into the mouth of somebody else. */
export const editComment = (
  directory: string,
  id: string,
  { author, text }: { readonly author: string; readonly text: string },
): Promise<readonly CommentRecord[]> =>
  change(directory, (before) =>
    known(before, id).map((one) => {
      if (one.id !== id) return one;
      if (one.author !== author) throw refusals.commentOfAnother(one.author);
      return { ...one, text, edited_at: Date.now() / 1000 };
    }),
  );

export async function removeComment(directory: string, id: string): Promise<readonly CommentRecord[]> {
  let gone: readonly CommentRecord[] = [];
  const left = await change(directory, (before) => {
    gone = known(before, id).filter((one) => one.id === id);
    return before.filter((one) => one.id !== id);
  });
  // What another program wrote there may be longer than what people say; it is on disk, and no more.
  const kept = gone.filter(({ text }) => text.length <= maxCommentCharacters);
  removed.set(directory, [...(removed.get(directory) ?? []), ...kept].slice(-mostRemoved));
  return left;
}

/** As it was, in its place; as long as this process runs and not too many were deleted since. */
export const restoreComment = (directory: string, id: string): Promise<readonly CommentRecord[]> =>
  change(directory, (before) => {
    const [comment] = known(removed.get(directory) ?? [], id).filter((one) => one.id === id);
    if (!comment || before.some((one) => one.id === id)) return before;
    refuseTooMany(before);
    return [...before, comment].sort((one, other) => one.created_at - other.created_at);
  });

function refuseTooMany(before: readonly CommentRecord[]): void {
  if (before.length >= mostComments) throw refusals.tooManyComments(mostComments);
}

function known(comments: readonly CommentRecord[], id: string): readonly CommentRecord[] {
  if (!comments.some((one) => one.id === id)) throw refusals.commentNotFound();
  return comments;
}

/** Changes of one notebook follow each other. */
const written = new Map<string, Promise<unknown>>();

function change(
  directory: string,
  edit: (before: readonly CommentRecord[]) => readonly CommentRecord[],
): Promise<readonly CommentRecord[]> {
  const saving = (written.get(directory) ?? Promise.resolve()).then(async () => {
    const file = path.join(directory, commentsFile);
    // Version control and agents write it too: the change is made to what lies there when it is replaced.
    for (;;) {
      const read = identityNow(file);
      const comments = edit(await readComments(directory));
      const text = JSON.stringify({ schema_version: 1, comments }, null, 2);
      if (await replaceAtomically(file, `${text}\n`, read)) return comments;
    }
  });
  const settled = saving.catch(() => {});
  written.set(directory, settled);
  void settled.then(() => written.get(directory) === settled && written.delete(directory));
  return saving;
}
