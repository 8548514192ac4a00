// The door of the files that cells read and write by plain names.
export { listFiles, openFile, removeFile } from './files.ts';
export { workFolderName } from './folder.ts';
export { writeFile } from './write.ts';
