// The door of comments.
export {
  addComment,
  commentsFile,
  editComment,
  readComments,
  removeComment,
  resolveComment,
  restoreComment,
} from './comments.ts';
