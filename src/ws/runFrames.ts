// Frames that run cells, and those that answer what a run asks first.
import { refusals } from '../errors/index.ts';
import type { Caller } from '../identity/index.ts';
import {
  type Asking,
  type RunMode,
  setCellTests,
  type WeighedRun,
  weighedAll,
  weighedCell,
} from '../notebook/index.ts';
import type { ClientFrame } from '../protocol/index.ts';
import type { Member } from './hub.ts';
import { createReadQuestions } from './readQuestions.ts';
import type { FrameOf, Handlers, SocketParts } from './socketParts.ts';

type CellRunType = `cell_execute${'' | '_cascade' | '_force' | '_rerun' | '_inspect'}`;
type RunType =
  | CellRunType
  | 'cell_answer'
  | 'read_confirm'
  | 'cell_cancel'
  | 'notebook_run_all'
  | 'notebook_rerun_all'
  | 'cell_run_tests'
  | 'widget_update';

/** `act`: what the confirmed frame asked for. */
export function runFrames(
  parts: SocketParts,
  act: (frame: ClientFrame, member: Member, caller: Caller) => void | Promise<void>,
): Handlers<RunType> {
  const { session, hub, grace, refuse } = parts;
  const { live } = session;
  const questions = createReadQuestions(live);

  /** False when no run may start: the sender was told why. */
  function mayRun(member: Member, cellId: string | null): boolean {
    const objection = live.mayRun(cellId);
    switch (objection?.type) {
      case undefined:
        return true;
      case 'unknownCell':
        refuse(member, `Cell ${objection.cellId} not found`);
        return false;
      case 'environment':
        refuse(member, objection.reason, { code: 'ENVIRONMENT_BUSY' });
        return false;
      case 'running':
        refuse(member, 'Another run holds this notebook.', {
          code: 'notebook_busy',
          ...(cellId === null ? {} : { cell_id: cellId }),
        });
        return false;
      default:
        live.assertMayRun(cellId);
        return false;
    }
  }

  /** Starts the run that the frame asks for, or asks the sender first. Not waited for: the same socket can cancel it. */
  function begin(frame: ClientFrame, member: Member, cellId: string | null, run: WeighedRun, start: () => void): void {
    questions
      .before(frame, run, () => {
        // While the run was weighed, another may have begun.
        if (!mayRun(member, cellId)) return;
        start();
        grace.started();
      })
      .then((question) => question && hub.answer(member, 'read_confirm_prompt', question))
      .catch((error: unknown) => refuse(member, `The run could not be started: ${String(error)}`));
  }

  function runCell(frame: FrameOf<CellRunType>, member: Member, mode: RunMode, more: Asking = {}): void {
    const { cell_id, plan_id, breakpoints } = { plan_id: undefined, breakpoints: undefined, ...frame.payload };
    if (!mayRun(member, cell_id)) return;
    begin(frame, member, cell_id, weighedCell(live.runner, cell_id, mode), () => {
      void live.runner.run(cell_id, mode, {
        stores: storesFor(member),
        stopsAt: breakpoints,
        ...more,
        ...(plan_id === undefined ? {} : { planId: plan_id }),
      });
    });
  }

  async function runTests(frame: FrameOf<'cell_run_tests'>, member: Member): Promise<void> {
    const { cell_id, test_source } = frame.payload;
    await live.catchUp([cell_id]);
    if (!parts.knows(member, cell_id)) return;
    if (!mayRun(member, cell_id)) return;
    if (test_source !== undefined) await live.change((notebook) => setCellTests(notebook, cell_id, test_source));
    begin(frame, member, cell_id, weighedCell(live.runner, cell_id, 'rerun'), () => {
      session.tests
        .run(cell_id)
        .catch((error: unknown) => refuse(member, `The tests could not be run: ${String(error)}`));
    });
  }

  function runAll(frame: FrameOf<'notebook_run_all' | 'notebook_rerun_all'>, member: Member): void {
    const useCache = frame.type === 'notebook_run_all';
    if (!mayRun(member, null)) return;
    session.hint([...live.session().facts.keys()], 'run_all');
    const { continue_on_error: continueOnError, breakpoints: stopsAt } = frame.payload;
    begin(frame, member, null, weighedAll(live.runner, useCache), () => {
      void live.runner.runAll({ continueOnError, useCache, stores: storesFor(member), stopsAt });
    });
  }

  return {
    async cell_execute(frame, member) {
      const { cell_id } = frame.payload;
      // What was saved a moment ago may have made cells above it stale.
      await live.catchUp([cell_id]);
      if (!mayRun(member, cell_id)) return;
      const prompt = live.runner.prompt(cell_id);
      if (prompt === undefined) return runCell(frame, member, 'normal');
      session.hint(prompt.cells, 'cascade');
      hub.answer(member, 'cascade_prompt', {
        cell_id,
        plan_id: prompt.planId,
        cells_to_run: prompt.cells,
        estimated_duration_ms: live.estimate(prompt.cells),
      });
    },
    cell_execute_cascade(frame, member) {
      const { cell_id, plan_id } = frame.payload;
      if (live.runner.knowsPlan(plan_id, cell_id)) runCell(frame, member, 'normal');
      else refuse(member, 'Cascade plan not found or expired');
    },
    cell_execute_force: (frame, member) => runCell(frame, member, 'force'),
    cell_execute_rerun: (frame, member) => runCell(frame, member, 'rerun'),
    cell_execute_inspect: (frame, member) => runCell(frame, member, 'rerun', { keepsFailure: true }),
    cell_answer({ payload: { cell_id, question_id, text } }) {
      if (!live.questions.answer(cell_id, question_id, text)) throw refusals.questionOver();
    },
    read_confirm({ payload }, member, caller) {
      const confirmed = questions.confirm(payload.prompt_id);
      return confirmed ? act(confirmed, member, caller) : refuse(member, 'Read prompt not found or expired');
    },
    cell_cancel({ payload: { cell_id } }) {
      questions.cancel(cell_id);
      live.cancel(cell_id);
    },
    notebook_run_all: runAll,
    notebook_rerun_all: runAll,
    cell_run_tests: runTests,
    async widget_update({ payload: { cell_id, values } }, member) {
      if (await session.widgets.choose(cell_id, values)) grace.started();
      else mayRun(member, cell_id);
    },
  };
}

const storesFor = ({ keepsValues }: Member) => (keepsValues ? 'values' : 'read');
