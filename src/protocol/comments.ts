// What people say about cells.
import { z } from 'zod';

export const commentRecord = z.object({
  id: z.string(),
  cell_id: z.string(),
  author: z.string(),
  text: z.string(),
  /** Seconds since 1970. */
  created_at: z.number(),
  /** Who took care of it; null while it is open. */
  resolved_by: z.string().nullable(),
  /** When its author edited it, in seconds since 1970. */
  edited_at: z.number().optional(),
});
export type CommentRecord = z.infer<typeof commentRecord>;

export const commentsBody = z.object({ comments: z.array(commentRecord) });
export type CommentsBody = z.infer<typeof commentsBody>;

export const maxCommentCharacters = 10_000;
const commentText = z.string().trim().min(1).max(maxCommentCharacters);

export const newComment = z.object({
  text: commentText,
  author: z.string().max(200).nullable().default(null),
});

export const commentChange = z.union([
  z.object({ resolved: z.boolean(), author: z.string().max(200).nullable().default(null) }),
  z.object({ text: commentText, author: z.string().max(200).nullable().default(null) }),
]);
