// Frames that change the notebook, and those that say where somebody is in it.
import { addRequest, removeRequest } from '../environments/index.ts';
import type { Caller } from '../identity/index.ts';
import { addVariant, chooseVariant, creditOf, toldState } from '../notebook/index.ts';
import { type ClientPayload, maxSourceCharacters } from '../protocol/index.ts';
import { dagJson } from './dagFrame.ts';
import type { Member } from './hub.ts';
import type { Handlers, SocketParts } from './socketParts.ts';

type EditType =
  | 'cell_source_update'
  | 'variant_set_active'
  | 'variant_add'
  | 'dependency_add'
  | 'dependency_remove'
  | 'cell_focus'
  | 'cursor_move';

export function editFrames({ session, hub, refuse, authorOf }: SocketParts): Handlers<EditType> {
  const { live } = session;

  async function updateSource(
    member: Member,
    caller: Caller,
    { cell_id, source, base, force, author, assisted_by }: ClientPayload<'cell_source_update'>,
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
    const credit = creditOf(identity, assisted_by ?? null);
    const changed = await live.editCell(cell_id, source, { author: identity, credit, force, base, announce: false });
    hub.broadcastJson('dag_update', () => dagJson(live, cell_id), { member, json: () => dagJson(live, null) });
    // The edited cell is told of even when it looks the same: that is the sender's acknowledgement.
    live.announce([cell_id, ...changed]);
  }

  const announceAll = (): void => live.announce(live.notebook().cells.map(({ id }) => id));

  return {
    cell_source_update: ({ payload }, member, caller) => updateSource(member, caller, payload),
    async variant_set_active({ payload: { group, name } }) {
      await chooseVariant(live, group, { active: name });
      hub.broadcastJson('dag_update', () => dagJson(live, null));
      announceAll();
    },
    async variant_add({ payload: { group, author } }, member, caller) {
      await addVariant(live, group, authorOf(member, caller, author));
      hub.broadcast('notebook_state', toldState(session));
      announceAll();
    },
    dependency_add: ({ payload }) => void session.startJob(addRequest(payload.package)),
    dependency_remove: ({ payload }) => void session.startJob(removeRequest(payload.package)),
    cell_focus({ payload: { cell_id, author } }, member, caller) {
      if (cell_id !== null && !live.session().facts.has(cell_id)) return;
      if (cell_id !== null) session.hint([cell_id], 'focus');
      if (hub.presence.focus(member, cell_id, authorOf(member, caller, author))) hub.announcePresence();
    },
    cursor_move({ payload: { cell_id, anchor, head } }, member) {
      const isThere = cell_id !== null && live.session().facts.has(cell_id);
      hub.cursors.move(member, isThere ? { cell_id, anchor, head } : null);
    },
  };
}
