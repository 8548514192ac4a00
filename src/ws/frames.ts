// Reads what a client sent. Whatever it is, the answer is a frame or a sentence that says what was wrong with it; a socket
// is never dropped for what it said.
import { isNestedBeyond } from '../nesting.ts';
import { type ClientFrame, type ClientFrameType, clientFrames } from '../protocol/index.ts';

export type ReadFrame =
  | { readonly frame: ClientFrame }
  /** `type`: of a frame that is known, with a payload that is wrong. */
  | { readonly problem: string; readonly type?: ClientFrameType };

/** As in bodies. Reading a deeper text would hold everybody up for seconds. */
const deepest = 128;

const isFrameType = (type: string): type is ClientFrameType => Object.hasOwn(clientFrames, type);

/** Which required members each frame has, for the sentence about a missing one. */
const requirements: Partial<Record<ClientFrameType, string>> = {
  cell_execute_cascade: 'cell_id or plan_id',
  cell_source_update: 'cell_id or source',
  variant_set_active: 'group or name',
  widget_update: 'cell_id or values',
  variant_add: 'group',
  cursor_move: 'cell_id, anchor or head',
  read_confirm: 'prompt_id',
  inspect_eval: 'cell_id or expr',
  widgets_send: 'cell_id or messages',
  dependency_add: "'package' in payload",
  dependency_remove: "'package' in payload",
};

export function readFrame(data: string | undefined): ReadFrame {
  if (data === undefined) return { problem: 'Frames are text; this one is binary.' };
  if (isNestedBeyond(data, deepest)) return { problem: `A frame is nested deeper than ${deepest} levels.` };
  const value = parse(data);
  if (!isObject(value)) return { problem: 'A frame is a JSON object with a type and a payload.' };
  const { type, payload = {} } = value;
  if (typeof type !== 'string' || !isFrameType(type)) return { problem: `Unknown message type: ${inWords(type)}` };
  if (!isObject(payload)) return { problem: `The payload of ${type} is not an object.`, type };
  return check(type, payload);
}

/** An object from outside may have a `toString` that is none. */
const inWords = (type: unknown): string => (typeof type === 'object' && type !== null ? 'not a text' : String(type));

function check(type: ClientFrameType, payload: object): ReadFrame {
  const result = clientFrames[type].safeParse(payload);
  if (result.success) return { frame: frameOf(type, result.data) };
  const missing = result.error.issues.some(
    (issue) => issue.code === 'invalid_type' && !(String(issue.path[0]) in payload),
  );
  if (missing) return { problem: `Missing ${requirements[type] ?? 'cell_id'}`, type };
  const [issue] = result.error.issues;
  return { problem: `${type}: ${issue?.path.join('.')}: ${issue?.message}`, type };
}

/** The schema of the type made the payload; the pair is what the type says. */
function frameOf<T extends ClientFrameType>(type: T, payload: unknown): ClientFrame {
  return { type, payload } as ClientFrame;
}

function parse(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
