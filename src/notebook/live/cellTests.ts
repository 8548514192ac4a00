// Tests of a cell: what it needs is run first, then real pytest on a copy of the cell. Tests never touch the cell's status
// or results. A notebook that lacks pytest gets it, outside what its results depend on.
import { can } from '../../cellLanguages.ts';
import { refusals } from '../../errors/index.ts';
import type { CellTestResult } from '../../protocol/index.ts';
import { failedRun, type TestOutcome } from '../../runtimes/index.ts';
import { cellOf } from '../document/index.ts';
import { CellRefused } from '../languages/index.ts';
import type { LiveNotebook } from './live.ts';
import { type TestedRun, testedState } from './tested.ts';

export interface CellTests {
  /** Throws when another run holds the notebook. */
  run(cellId: string): Promise<CellTestResult>;
}

export interface CellTestParts {
  readonly live: LiveNotebook;
  readonly broadcast: (type: string, payload: object) => void;
  /** Brings pytest into the environment; false when that failed. */
  readonly installPytest: () => Promise<boolean>;
}

export function createCellTests({ live, broadcast, installPytest }: CellTestParts): CellTests {
  /** A run that could not take place is told as one that failed. */
  function asRun(cellId: string, error: unknown): TestedRun {
    if (!(error instanceof CellRefused)) throw error;
    const run = failedRun(error.errorType, error.message, { executionMethod: 'error' });
    return { run, tested: testedState(live, cellId) };
  }

  async function resultOfRun(cellId: string, first: Promise<TestedRun>): Promise<CellTestResult> {
    let ran = await first.catch((error: unknown) => asRun(cellId, error));
    const installed = ran.run.tests === null && (await installPytest());
    // Another run may hold the notebook by now.
    if (installed && !live.runner.active())
      ran = await live.runTests(cellId).catch((error: unknown) => asRun(cellId, error));
    const result = resultOf(ran, installed ? ['pytest'] : []);
    await live.note(cellId, { test_result: result });
    return result;
  }

  async function run(cellId: string, first: Promise<TestedRun>): Promise<CellTestResult> {
    broadcast('cell_test_status', { cell_id: cellId, status: 'running' });
    const result = await resultOfRun(cellId, first).catch((error: unknown) => {
      broadcast('cell_test_status', { cell_id: cellId, status: 'error' });
      throw error;
    });
    const { cell_source_hash, test_source_hash, input_fingerprint, ...told } = result;
    const now = Object.values(testedState(live, cellId)).join();
    const stale = [cell_source_hash, test_source_hash, input_fingerprint].join() !== now;
    broadcast('cell_test_results', { cell_id: cellId, ...told, stale });
    const isBad = result.failed > 0 || result.errored > 0;
    broadcast('cell_test_status', { cell_id: cellId, status: isBad ? 'error' : 'ready' });
    return result;
  }

  return {
    run(cellId) {
      const { language, testSource } = cellOf(live.notebook(), cellId);
      if (!can(language, 'be tested')) throw refusals.testsArePython();
      if (testSource.trim() === '') throw refusals.noTests(cellId);
      return run(cellId, live.runTests(cellId));
    },
  };
}

function resultOf({ run, tested }: TestedRun, installed: readonly string[]): CellTestResult {
  const problem: TestOutcome = {
    name: 'test_cell.py',
    nodeid: 'test_cell.py',
    outcome: 'error',
    message: run.error?.text ?? 'The tests were stopped before they ended.',
  };
  const tests = run.outcome === 'success' ? (run.tests ?? []) : [problem];
  const count = (outcome: TestOutcome['outcome']): number => tests.filter((test) => test.outcome === outcome).length;
  return {
    passed: count('passed'),
    failed: count('failed'),
    errored: count('error'),
    skipped: count('skipped'),
    tests: [...tests],
    pytest_unavailable: run.tests === null,
    auto_installed: [...installed],
    ran_at: Date.now(),
    ...tested,
  };
}
