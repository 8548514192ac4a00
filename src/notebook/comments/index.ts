// The door of comments.
export { addComment, commentsFile, readComments, removeComment, resolveComment } from './comments.ts';
