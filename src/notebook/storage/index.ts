// The door of storage: where notebooks may lie.
export { checkedNotebookName, directoryNameFor, projectNameFor, refuseUnseen } from './names.ts';
export { errorCode, isLink, isWithin, type PathLabel, resolveInside } from './paths.ts';
export { notebookRoot, openNotebookRoot } from './roots.ts';
export { checkRuntimeFolder, makeRuntimeFolder, unlessThere } from './runtimeFolder.ts';
