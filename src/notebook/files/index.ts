// The door of the files that cells read and write by plain names.
export { listFiles, openBelow, openFile, removeFile } from './files.ts';
export { isOffered, workFolderName } from './folder.ts';
export { type LocalModule, localModules, ModulesTooLarge, moduleNamed } from './modules.ts';
export { writeFile } from './write.ts';
