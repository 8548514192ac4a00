// The door of what is done with files of any kind.
export { digestOfFile } from './digest.ts';
export { type Turn, takeLock } from './fileLock.ts';
export { createFilePrints, type FilePrint, type FilePrints, isSame, missingFile } from './filePrints.ts';
export { filesBelow } from './filesBelow.ts';
export { findProgram } from './findProgram.ts';
export { giveTo, removeLent, takeBack } from './giveTo.ts';
export { inTurn } from './inTurn.ts';
export { intoFile } from './intoFile.ts';
export { isRunning } from './isRunning.ts';
export { makeInside } from './makeInside.ts';
export { modeOfNew } from './modeOfNew.ts';
export { isPassing } from './passing.ts';
export { type ProcessFolders, processFolders } from './processFolders.ts';
export { readOwnJson } from './readOwnJson.ts';
export {
  isPlainFile,
  NotPlainFile,
  openOwnFile,
  readOwnFile,
  readPlainFile,
  readWithoutWaiting,
} from './readPlainFile.ts';
export { severalAtOnce } from './severalAtOnce.ts';
export { type HeldFolder, holdFolder, syncFolder } from './syncFolder.ts';
export { walkedStamp } from './walkedStamp.ts';
export { withoutListing } from './withoutListing.ts';
