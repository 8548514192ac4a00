// Cells of text have nothing to run.
import type { KeptResult } from '../run/index.ts';

/** What running a text comes to. */
export const textResult: KeptResult = {
  key: '',
  sourceDigest: '',
  environmentHash: '',
  variables: {},
  displays: [],
  stdout: '',
  stderr: '',
  durationMs: 0,
  createdAt: 0,
};
