// The door of comments.
export { addComment, commentsFile, readComments, removeComment, resolveComment, restoreComment } from './comments.ts';
