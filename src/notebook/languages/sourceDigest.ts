// The digest of a source whose language has no finer one: its text without the space around it.
import { createHash } from 'node:crypto';

export const textDigest = (source: string): string => createHash('sha256').update(source.trim()).digest('hex');

export const noNames = {
  defines: [],
  references: [],
  builtinReferences: [],
  discardedReads: [],
  mutationDefines: [],
} as const;
