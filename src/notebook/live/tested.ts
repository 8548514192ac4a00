// What the tests of a cell spoke about: the cell, the tests, and what both read.
import { createHash } from 'node:crypto';
import type { CellTestResult } from '../../protocol/index.ts';
import type { RunResult } from '../../runtimes/index.ts';
import { cellOf, type Notebook } from '../document/index.ts';
import { inputValues, type SessionState } from '../state/index.ts';

/** A run of tests, and what it spoke about. */
export interface TestedRun {
  readonly run: RunResult;
  readonly tested: TestedState;
}

export type TestedState = Pick<CellTestResult, 'cell_source_hash' | 'test_source_hash' | 'input_fingerprint'>;

interface Looked {
  notebook(): Notebook;
  session(): SessionState;
}

/** What a test result speaks about: when one of these is another, it is stale. */
export function testedState(live: Looked, cellId: string): TestedState {
  const session = live.session();
  const inputs = [...inputValues(session, cellId).values].map(([name, { sha256 }]) => `${name}=${sha256}`);
  const digest = (text: string): string => createHash('sha256').update(text).digest('hex');
  return {
    cell_source_hash: session.facts.get(cellId)?.sourceDigest ?? '',
    test_source_hash: digest(cellOf(live.notebook(), cellId).testSource),
    input_fingerprint: digest(inputs.sort().join('\0')),
  };
}
