// The door of changes that several cells need at once, and after which they mean what they meant.
export { ambiguousNames, ambiguousRecords, makeExplicit, previewExplicit } from './explicit.ts';
export { type Joined, joinCells } from './join.ts';
export { namePlaces, previewRename, renameName } from './renaming.ts';
