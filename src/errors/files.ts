// Refusals of names and paths, and of files that cells read and write by plain names.
import { Refusal } from './refusal.ts';

export const fileRefusals = {
  signUnseen: (label: string, sign: string) =>
    new Refusal(
      'invalid',
      `The ${label} holds the sign ${sign}, which nobody sees and which can make one name look like another; remove it`,
    ),

  pathHidden: (label: string, part: string) =>
    new Refusal(
      'invalid',
      `Invalid ${label}: ${part} is hidden, and hidden folders are those of programs; name a folder that does not start with a dot`,
    ),

  fileMissing: (place: string) => new Refusal('not_found', `There is no file ${place} among the notebook's files`),

  folderMissing: (place: string) =>
    new Refusal('not_found', `There is no folder ${place} among the notebook's files; make it in a cell first`),

  fileExists: (place: string) =>
    new Refusal('conflict', {
      code: 'file_exists',
      message: `There is a file ${place} already; choose another name, or send it with overwrite=true to replace that one`,
    }),

  notAFile: (place: string) =>
    new Refusal('invalid', `${place} is a folder, a link or something else that is no plain file; choose another name`),

  notAFolder: (place: string) =>
    new Refusal('invalid', `${place} is no folder of the notebook: links and files lead nowhere here`),
} as const;
