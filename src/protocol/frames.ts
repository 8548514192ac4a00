// What travels over the WebSocket of a session. Clients send `{type, payload}`; the server sends `{type, seq, ts,
// payload}`. A client's payload may carry more than is listed; a frame of an unknown type is answered, not punished.
import { z } from 'zod';
import { answerRequest, maxSourceCharacters } from './cells.ts';

const cellId = z.string().min(1);
const textOffset = z.int().min(0).max(maxSourceCharacters);
const author = z.string().max(128).optional();

/** Lines that cells of the run stop at, by the cell: the one that is asked for then runs anew, the others where they run at all. */
const breakpoints = z
  .record(cellId, z.array(z.int().min(1)).max(1000).readonly())
  .refine((marked) => Object.keys(marked).length <= 1000, 'Breakpoints of at most 1000 cells.')
  .optional();

/** What is said over the comm of one widget, in the words of Jupyter's protocol; bytes in base64. */
export const commMessage = z.object({
  model: z.string().min(1).max(200),
  kind: z.enum(['comm_open', 'comm_msg', 'comm_close']),
  data: z.record(z.string(), z.unknown()),
  buffers: z.array(z.base64()),
});

/** Payload schema of every client frame. */
export const clientFrames = {
  cell_execute: z.object({ cell_id: cellId, breakpoints }),
  cell_execute_cascade: z.object({ cell_id: cellId, plan_id: z.string().min(1), breakpoints }),
  cell_execute_force: z.object({ cell_id: cellId, breakpoints }),
  cell_execute_rerun: z.object({ cell_id: cellId, breakpoints }),
  /** Runs it anew; if it fails, its process stays to be looked into. */
  cell_execute_inspect: z.object({ cell_id: cellId }),
  cell_cancel: z.object({ cell_id: cellId }),
  cell_answer: answerRequest.extend({ cell_id: cellId }),
  read_confirm: z.object({ prompt_id: z.string().min(1) }),
  notebook_run_all: z.object({ continue_on_error: z.boolean().default(true), breakpoints }),
  notebook_rerun_all: z.object({ continue_on_error: z.boolean().default(true), breakpoints }),
  cell_source_update: z.object({
    cell_id: cellId,
    source: z.string(),
    /** The text that was changed: if the cell has another by now, nothing is written, unless forced. */
    base: z.string().optional(),
    force: z.boolean().default(false),
    author,
    /** The model that part of the text is from. */
    assisted_by: z.string().max(128).optional(),
  }),
  cell_focus: z.object({ cell_id: z.string().nullable(), author }),
  /** Where the sender's cursor is in the text that the server has, in UTF-16 units; null: in none. */
  cursor_move: z.object({ cell_id: z.string().nullable(), anchor: textOffset, head: textOffset }),
  notebook_sync: z.object({}),
  impact_preview_request: z.object({ cell_id: cellId }),
  profiling_request: z.object({}),
  variant_set_active: z.object({ group: z.string().min(1), name: z.string().regex(/^[a-zA-Z_]\w*$/) }),
  variant_add: z.object({ group: z.string().min(1), author }),
  cell_run_tests: z.object({ cell_id: cellId, test_source: z.string().optional() }),
  widget_update: z.object({ cell_id: cellId, values: z.record(z.string(), z.unknown()) }),
  dependency_add: z.object({ package: z.string().min(1).max(200) }),
  dependency_remove: z.object({ package: z.string().min(1).max(200) }),
  inspect_open: z.object({ cell_id: cellId }),
  inspect_eval: z.object({ cell_id: cellId, expr: z.string() }),
  inspect_close: z.object({ cell_id: cellId }),
  /** Keeps a process of the cell for the widgets that it shows. */
  widgets_keep: z.object({ cell_id: cellId }),
  widgets_send: z.object({ cell_id: cellId, messages: z.array(commMessage).max(200) }),
  widgets_release: z.object({ cell_id: cellId }),
} as const;

export type ClientFrameType = keyof typeof clientFrames;
export type ClientPayload<T extends ClientFrameType> = z.infer<(typeof clientFrames)[T]>;
export type ClientFrame = {
  [T in ClientFrameType]: { readonly type: T; readonly payload: ClientPayload<T> };
}[ClientFrameType];

export const serverFrame = z.object({
  type: z.string(),
  seq: z.int().min(1),
  ts: z.string(),
  payload: z.record(z.string(), z.unknown()),
});

export type ServerFrame = z.infer<typeof serverFrame>;

/** Which scope a frame asks for; the same words as for the routes that do the same thing. */
export const frameScopes: Readonly<Record<ClientFrameType, 'notebook:read' | 'notebook:write' | 'notebook:execute'>> = {
  cell_execute: 'notebook:execute',
  cell_execute_cascade: 'notebook:execute',
  cell_execute_force: 'notebook:execute',
  cell_execute_rerun: 'notebook:execute',
  cell_execute_inspect: 'notebook:execute',
  cell_cancel: 'notebook:execute',
  cell_answer: 'notebook:execute',
  read_confirm: 'notebook:execute',
  notebook_run_all: 'notebook:execute',
  notebook_rerun_all: 'notebook:execute',
  cell_source_update: 'notebook:write',
  cell_focus: 'notebook:read',
  cursor_move: 'notebook:read',
  notebook_sync: 'notebook:read',
  impact_preview_request: 'notebook:read',
  profiling_request: 'notebook:read',
  variant_set_active: 'notebook:write',
  variant_add: 'notebook:write',
  cell_run_tests: 'notebook:execute',
  widget_update: 'notebook:execute',
  dependency_add: 'notebook:execute',
  dependency_remove: 'notebook:execute',
  inspect_open: 'notebook:execute',
  inspect_eval: 'notebook:execute',
  inspect_close: 'notebook:execute',
  widgets_keep: 'notebook:execute',
  widgets_send: 'notebook:execute',
  widgets_release: 'notebook:execute',
};
