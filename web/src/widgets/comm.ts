// The end of a comm in the frame: what a widget sends goes to the page around, which decides who hears of it.
import type { IClassicComm } from '@jupyter-widgets/base';
import type { CommMessage, WidgetWord } from './messages.ts';

type Callbacks = { iopub?: { status?: (message: object) => void } };
type Listener = (message: object) => void;

let sent = 0;

export const tell = (word: WidgetWord): void => parent.postMessage({ widget: word }, '*');

export class FrameComm implements IClassicComm {
  readonly comm_id: string;
  readonly target_name = 'jupyter.widget';
  #onMessage: Listener = () => {};
  #onClose: Listener = () => {};

  constructor(id: string) {
    this.comm_id = id;
  }

  open(): string {
    return this.#told('comm_open', {}, undefined, []);
  }

  send(data: unknown, callbacks?: Callbacks, _metadata?: object, buffers?: (ArrayBuffer | ArrayBufferView)[]): string {
    return this.#told('comm_msg', data, callbacks, buffers ?? []);
  }

  close(): string {
    return this.#told('comm_close', {}, undefined, []);
  }

  on_msg(listener: Listener): void {
    this.#onMessage = listener;
  }

  on_close(listener: Listener): void {
    this.#onClose = listener;
  }

  hear({ kind, data, buffers }: CommMessage): void {
    const message = { content: { data }, buffers: buffers.map((buffer) => new DataView(buffer)) };
    if (kind === 'comm_close') this.#onClose(message);
    else this.#onMessage(message);
  }

  #told(
    kind: CommMessage['kind'],
    data: unknown,
    callbacks: Callbacks | undefined,
    buffers: (ArrayBuffer | ArrayBufferView)[],
  ): string {
    // Models of widgets are told as their names; what no message can hold is left out.
    tell({ model: this.comm_id, kind, data: JSON.parse(JSON.stringify(data)), buffers: buffers.map(bytesOf) });
    // A model waits for this word before it sends more.
    setTimeout(() => callbacks?.iopub?.status?.({ content: { execution_state: 'idle' } }));
    sent += 1;
    return String(sent);
  }
}

function bytesOf(buffer: ArrayBuffer | ArrayBufferView): ArrayBuffer {
  if (buffer instanceof ArrayBuffer) return buffer;
  const copy = new Uint8Array(buffer.byteLength);
  copy.set(new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength));
  return copy.buffer;
}
