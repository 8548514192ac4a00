// What the frames of a socket do to the notebook of their session. Each handler reads, calls one thing, answers.
import { addRequest, removeRequest } from '../environments/index.ts';
import { orTrouble, Refusal, refusals } from '../errors/index.ts';
import { actAs, type Caller } from '../identity/index.ts';
import {
  addVariant,
  chooseVariant,
  type OpenSession,
  type RunMode,
  setCellTests,
  stateRecord,
  toldState,
  type WeighedRun,
  weighedAll,
  weighedCell,
} from '../notebook/index.ts';
import { type ClientFrame, type ClientPayload, maxSourceCharacters } from '../protocol/index.ts';
import type { SocketSession } from './connection.ts';
import { dagJson } from './dagFrame.ts';
import type { Grace } from './grace.ts';
import type { Hub, Member } from './hub.ts';
import { impactPayload, profilingPayload } from './previews.ts';
import { createReadQuestions } from './readQuestions.ts';

type CellFrame = Extract<ClientFrame, { type: `cell_execute${string}` }>;

/** `grace`: of the notebook, which is watched by the sockets of all its sessions. */
export function createSessionSocket(session: OpenSession, hub: Hub, grace: Grace): SocketSession {
  const { live } = session;
  const questions = createReadQuestions(live);

  const refuse = (member: Member, error: string, more: object = {}): void =>
    hub.answer(member, 'error', { error, ...more });

  /** False when it was none. */
  function tellRefusal(member: Member, error: unknown): boolean {
    const refusal = orTrouble(error);
    if (!(refusal instanceof Refusal)) return false;
    const { message, ...more } = typeof refusal.detail === 'string' ? { message: refusal.detail } : refusal.detail;
    refuse(member, message, more);
    return true;
  }

  function authorOf(member: Member, caller: Caller, declared: string | undefined): string {
    return caller.principal ?? (declared?.trim() || hub.presence.identityOf(member));
  }

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

  function runCell(frame: CellFrame, member: Member, mode: RunMode, keepsFailure = false): void {
    const { cell_id, plan_id } = { plan_id: undefined, ...frame.payload };
    if (!mayRun(member, cell_id)) return;
    begin(frame, member, cell_id, weighedCell(live.runner, cell_id, mode), () => {
      const { keepsValues } = member;
      void live.runner.run(cell_id, mode, {
        keepsValues,
        keepsFailure,
        ...(plan_id === undefined ? {} : { planId: plan_id }),
      });
    });
  }

  async function updateSource(
    member: Member,
    caller: Caller,
    { cell_id, source, base, force, author }: ClientPayload<'cell_source_update'>,
  ): Promise<void> {
    if (source.length > maxSourceCharacters)
      return refuse(member, 'A cell holds at most 1,000,000 characters of source.', {
        code: 'source_too_long',
        cell_id,
      });
    const active = live.runner.active();
    if (active && (active.running.has(cell_id) || active.requested === cell_id)) {
      return refuse(member, 'This cell is running; cancel it or wait before editing it.', {
        code: 'cell_busy',
        cell_id,
      });
    }
    const identity = authorOf(member, caller, author);
    const isThere = live.session().facts.has(cell_id);
    if (isThere && hub.presence.focus(member, cell_id, identity)) hub.announcePresence();
    const changed = await live.editCell(cell_id, source, { author: identity, force, base, announce: false });
    hub.broadcastJson('dag_update', () => dagJson(live, cell_id), { member, json: () => dagJson(live, null) });
    // The edited cell is told of even when it looks the same: that is the sender's acknowledgement.
    live.announce([cell_id, ...changed]);
  }

  async function runTests(frame: Extract<ClientFrame, { type: 'cell_run_tests' }>, member: Member): Promise<void> {
    const { cell_id, test_source } = frame.payload;
    await live.catchUp([cell_id]);
    if (!live.session().facts.has(cell_id)) return refuse(member, `Cell ${cell_id} not found`);
    if (!mayRun(member, cell_id)) return;
    if (test_source !== undefined) await live.change((notebook) => setCellTests(notebook, cell_id, test_source));
    begin(frame, member, cell_id, weighedCell(live.runner, cell_id, 'rerun'), () => {
      session.tests
        .run(cell_id)
        .catch((error: unknown) => refuse(member, `The tests could not be run: ${String(error)}`));
    });
  }

  async function act(frame: ClientFrame, member: Member, caller: Caller): Promise<void> {
    switch (frame.type) {
      case 'notebook_sync':
        return hub.answer(member, 'notebook_state', stateRecord(session));
      case 'cell_execute': {
        const { cell_id } = frame.payload;
        // What was saved a moment ago may have made cells above it stale.
        await live.catchUp([cell_id]);
        if (!mayRun(member, cell_id)) return;
        const prompt = live.runner.prompt(cell_id);
        if (prompt === undefined) return runCell(frame, member, 'normal');
        session.hint(prompt.cells, 'cascade');
        return hub.answer(member, 'cascade_prompt', {
          cell_id,
          plan_id: prompt.planId,
          cells_to_run: prompt.cells,
          estimated_duration_ms: live.estimate(prompt.cells),
        });
      }
      case 'cell_execute_cascade': {
        const { cell_id, plan_id } = frame.payload;
        if (!live.runner.knowsPlan(plan_id, cell_id)) return refuse(member, 'Cascade plan not found or expired');
        return runCell(frame, member, 'normal');
      }
      case 'cell_execute_force':
        return runCell(frame, member, 'force');
      case 'cell_execute_rerun':
        return runCell(frame, member, 'rerun');
      case 'cell_execute_inspect':
        return runCell(frame, member, 'rerun', true);
      case 'cell_answer': {
        const { cell_id, question_id, text } = frame.payload;
        if (!live.questions.answer(cell_id, question_id, text)) throw refusals.questionOver();
        return;
      }
      case 'read_confirm': {
        const confirmed = questions.confirm(frame.payload.prompt_id);
        return confirmed ? act(confirmed, member, caller) : refuse(member, 'Read prompt not found or expired');
      }
      case 'cell_cancel':
        questions.cancel(frame.payload.cell_id);
        live.cancel(frame.payload.cell_id);
        return;
      case 'notebook_run_all':
      case 'notebook_rerun_all': {
        const useCache = frame.type === 'notebook_run_all';
        if (!mayRun(member, null)) return;
        session.hint([...live.session().facts.keys()], 'run_all');
        const continueOnError = frame.payload.continue_on_error;
        return begin(frame, member, null, weighedAll(live.runner, useCache), () => {
          void live.runner.runAll({ continueOnError, useCache, keepsValues: member.keepsValues });
        });
      }
      case 'cell_source_update':
        return updateSource(member, caller, frame.payload);
      case 'variant_set_active':
        await chooseVariant(live, frame.payload.group, { active: frame.payload.name });
        hub.broadcastJson('dag_update', () => dagJson(live, null));
        return live.announce(live.notebook().cells.map(({ id }) => id));
      case 'variant_add':
        await addVariant(live, frame.payload.group, authorOf(member, caller, frame.payload.author));
        hub.broadcast('notebook_state', toldState(session));
        return live.announce(live.notebook().cells.map(({ id }) => id));
      case 'cell_run_tests':
        return runTests(frame, member);
      case 'widget_update': {
        const { cell_id, values } = frame.payload;
        if (await session.widgets.choose(cell_id, values)) grace.started();
        else mayRun(member, cell_id);
        return;
      }
      case 'dependency_add':
        return void session.startJob(addRequest(frame.payload.package));
      case 'dependency_remove':
        return void session.startJob(removeRequest(frame.payload.package));
      case 'cell_focus': {
        const { cell_id, author } = frame.payload;
        if (cell_id !== null && !live.session().facts.has(cell_id)) return;
        if (cell_id !== null) session.hint([cell_id], 'focus');
        if (hub.presence.focus(member, cell_id, authorOf(member, caller, author))) hub.announcePresence();
        return;
      }
      case 'impact_preview_request':
        return hub.answer(member, 'impact_preview', impactPayload(live, frame.payload.cell_id));
      case 'profiling_request':
        return hub.answer(member, 'profiling_summary', await profilingPayload(live));
      case 'inspect_open':
        if (!live.session().facts.has(frame.payload.cell_id))
          return refuse(member, `Cell ${frame.payload.cell_id} not found`);
        return hub.answer(member, 'inspect_result', await live.inspect(frame));
      case 'inspect_eval':
        // Not waited for: the same socket can close a prompt that never answers.
        live.inspect(frame).then(
          (answer) => hub.answer(member, 'inspect_result', answer),
          (error: unknown) =>
            tellRefusal(member, error) || refuse(member, `The prompt could not answer: ${String(error)}`),
        );
        return;
      case 'widgets_keep':
      case 'widgets_send':
      case 'widgets_release':
        if (!live.session().facts.has(frame.payload.cell_id))
          return refuse(member, `Cell ${frame.payload.cell_id} not found`);
        // Not waited for: the same socket can let go of a process that never answers.
        live.keptCell(frame).then(
          (answer) => hub.answer(member, 'widgets_kept', answer),
          (error: unknown) =>
            tellRefusal(member, error) || refuse(member, `The controls could not be kept: ${String(error)}`),
        );
        return;
      case 'inspect_close':
        return hub.answer(member, 'inspect_result', await live.inspect(frame));
    }
  }

  return {
    sessionId: session.sessionId,
    hub,
    touch: session.touch,
    async handle(frame, member, caller) {
      try {
        await actAs(caller, () => act(frame, member, caller), live.notebook().id);
      } catch (error) {
        if (!tellRefusal(member, error)) throw error;
      }
    },
    socketsChanged: grace.socketsChanged,
  };
}
