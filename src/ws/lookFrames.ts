// Frames that look at the notebook and into its cells: its state, what a run would touch, the inspect prompt, kept widgets.
import { stateRecord } from '../notebook/index.ts';
import type { Member } from './hub.ts';
import { impactPayload, profilingPayload } from './previews.ts';
import type { FrameOf, Handlers, SocketParts } from './socketParts.ts';

type KeptType = 'widgets_keep' | 'widgets_send' | 'widgets_release';
type LookType =
  | KeptType
  | 'notebook_sync'
  | 'impact_preview_request'
  | 'profiling_request'
  | 'inspect_open'
  | 'inspect_eval'
  | 'inspect_close';

export function lookFrames({ session, hub, refuse, tellRefusal, knows }: SocketParts): Handlers<LookType> {
  const { live } = session;

  function keep(frame: FrameOf<KeptType>, member: Member): void {
    if (!knows(member, frame.payload.cell_id)) return;
    // Not waited for: the same socket can let go of a process that never answers.
    live.keptCell(frame).then(
      (answer) => hub.answer(member, 'widgets_kept', answer),
      (error: unknown) =>
        tellRefusal(member, error) || refuse(member, `The controls could not be kept: ${String(error)}`),
    );
  }

  return {
    notebook_sync(_frame, member) {
      hub.answer(member, 'notebook_state', stateRecord(session));
      if (member.mayAnswer) session.expectRun();
    },
    impact_preview_request: ({ payload }, member) =>
      hub.answer(member, 'impact_preview', impactPayload(live, payload.cell_id)),
    profiling_request: async (_frame, member) => hub.answer(member, 'profiling_summary', await profilingPayload(live)),
    async inspect_open(frame, member) {
      if (knows(member, frame.payload.cell_id)) hub.answer(member, 'inspect_result', await live.inspect(frame));
    },
    inspect_eval(frame, member) {
      // Not waited for: the same socket can close a prompt that never answers.
      live.inspect(frame).then(
        (answer) => hub.answer(member, 'inspect_result', answer),
        (error: unknown) =>
          tellRefusal(member, error) || refuse(member, `The prompt could not answer: ${String(error)}`),
      );
    },
    inspect_close: async (frame, member) => hub.answer(member, 'inspect_result', await live.inspect(frame)),
    widgets_keep: keep,
    widgets_send: keep,
    widgets_release: keep,
  };
}
