// The door of help from a model.

export { assist, hostOf, type ModelAccess, modelFor, previewAssist } from './assist.ts';
export { creditOf } from './credit.ts';
