// Refusals of comments.
import { Refusal } from './refusal.ts';

export const commentRefusals = {
  commentNotFound: () => new Refusal('not_found', 'Comment not found'),

  commentOfAnother: (author: string) =>
    new Refusal('conflict', {
      code: 'comment_of_another',
      message: `Only ${author} can edit this comment. Write one of your own.`,
    }),

  commentsUnreadable: (reason: string) =>
    new Refusal('conflict', {
      code: 'comments_unreadable',
      message: `comments.json of this notebook cannot be read: ${reason}. Mend it or move it away; nothing was changed.`,
    }),

  tooManyComments: (most: number) =>
    new Refusal('conflict', {
      code: 'too_many_comments',
      message: `This notebook has ${most} comments, and more are not kept. Delete some that are resolved.`,
    }),
};
