// What a frame with widgets and the page around it say to each other.

/** What Jupyter's protocol sends over the comm of one widget. */
export interface CommMessage {
  readonly model: string;
  readonly kind: 'comm_open' | 'comm_msg' | 'comm_close';
  readonly data: { readonly method?: string; readonly state?: Record<string, unknown> } & Record<string, unknown>;
  readonly buffers: readonly ArrayBuffer[];
}

/** `ready`: it holds its widgets and may be told of more. `touched`: a person does something in it. */
export type WidgetWord = CommMessage | 'ready' | 'touched';

export function widgetWordOf(message: unknown): WidgetWord | null {
  const word = typeof message === 'object' && message !== null && 'widget' in message ? message.widget : null;
  if (word === 'ready' || word === 'touched') return word;
  return isCommMessage(word) ? word : null;
}

const isCommMessage = (word: unknown): word is CommMessage =>
  typeof word === 'object' &&
  word !== null &&
  'model' in word &&
  typeof word.model === 'string' &&
  'kind' in word &&
  typeof word.kind === 'string' &&
  /^comm_(open|msg|close)$/.test(word.kind) &&
  'data' in word &&
  typeof word.data === 'object' &&
  word.data !== null &&
  'buffers' in word &&
  Array.isArray(word.buffers) &&
  word.buffers.every((buffer) => buffer instanceof ArrayBuffer);
