// Frames with widgets are apart from each other; what a person does in one is told to the others that hold the same widgets, so that
// links between them work, and to one that comes back into sight.
import type { CommMessage, WidgetWord } from '../widgets/messages.ts';

export interface WidgetFrame {
  readonly cellId: string;
  /** What the cell showed: another text is another result, and begins as it came. */
  readonly json: string;
  readonly models: ReadonlySet<string>;
  send(message: CommMessage): void;
}

export interface WidgetRelay {
  join(frame: WidgetFrame): { hear(word: WidgetWord): void; leave(): void };
  /** From a kept process of the cell: to all its frames, and kept for those that come. */
  tell(cellId: string, messages: readonly CommMessage[]): void;
  /** What is sent by a frame and is for the code of its cell. */
  listen(cellId: string, listener: (message: CommMessage) => void): () => void;
}

export function createWidgetRelay(): WidgetRelay {
  const frames = new Set<WidgetFrame>();
  const ready = new Set<WidgetFrame>();
  const listeners = new Map<string, (message: CommMessage) => void>();
  /** What became of each widget since it was shown, by cell. */
  const changes = new Map<string, { readonly json: string; readonly messages: CommMessage[] }>();
  let touched: WidgetFrame | undefined;

  const holds = (frame: WidgetFrame, { model }: CommMessage): boolean => frame.models.has(model);

  /** Where a link joins the widgets of two frames each would tell the other for ever: the one that is touched is heard. */
  const isEcho = (frame: WidgetFrame, message: CommMessage): boolean =>
    touched !== undefined && touched !== frame && holds(touched, message);

  function keep(cellId: string, json: string, message: CommMessage): void {
    const before = changes.get(cellId);
    const kept = before?.json === json ? before : { json, messages: [] };
    changes.set(cellId, kept);
    const at = kept.messages.findLastIndex(
      ({ model, kind, data, buffers }) =>
        model === message.model && kind === 'comm_msg' && data.method === 'update' && buffers.length === 0,
    );
    const last = kept.messages[at];
    if (message.kind === 'comm_msg' && message.data.method !== 'update') return;
    if (last === undefined || message.kind !== 'comm_msg' || message.buffers.length > 0) kept.messages.push(message);
    else
      kept.messages[at] = {
        ...message,
        data: { ...message.data, state: { ...last.data.state, ...message.data.state } },
      };
  }

  return {
    join(frame) {
      frames.add(frame);
      return {
        hear(word) {
          if (word === 'touched') touched = frame;
          else if (word === 'ready') {
            ready.add(frame);
            const kept = changes.get(frame.cellId);
            if (kept?.json === frame.json) for (const message of kept.messages) frame.send(message);
          } else if (!isEcho(frame, word)) {
            keep(frame.cellId, frame.json, word);
            for (const other of ready) if (other !== frame && holds(other, word)) other.send(word);
            listeners.get(frame.cellId)?.(word);
          }
        },
        leave() {
          frames.delete(frame);
          ready.delete(frame);
          if (touched === frame) touched = undefined;
        },
      };
    },
    tell(cellId, messages) {
      for (const message of messages)
        for (const frame of frames) {
          if (frame.cellId === cellId) keep(cellId, frame.json, message);
          if (ready.has(frame) && (frame.cellId === cellId || holds(frame, message))) frame.send(message);
        }
    },
    listen(cellId, listener) {
      listeners.set(cellId, listener);
      return () => {
        if (listeners.get(cellId) === listener) listeners.delete(cellId);
      };
    },
  };
}

export const widgetRelay = createWidgetRelay();
