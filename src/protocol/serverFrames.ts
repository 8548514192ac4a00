// Payloads of the frames that the server sends, one schema a type. Clients take their types from here; the tests hold
// frames of a real server against the schemas.
import { z } from 'zod';
import { agentActivityBody } from './agents.ts';
import {
  causality,
  cellEffects,
  cellRead,
  cellRecord,
  cellStatus,
  diagnostic,
  displayRecord,
  farInput,
  joinAdvice,
  moduleExport,
  questionBody,
  remoteProgress,
  traceFrame,
  variantGroupRecord,
} from './cells.ts';
import { commentsBody } from './comments.ts';
import { environmentJob } from './environments.ts';
import { commMessage } from './frames.ts';
import { notebookState } from './notebookState.ts';

const edge = z.object({ from_cell_id: z.string(), to_cell_id: z.string(), variable: z.string() });

export const cellAnalysis = z.object({
  id: z.string(),
  defines: z.array(z.string()),
  references: z.array(z.string()),
  upstream_ids: z.array(z.string()),
  downstream_ids: z.array(z.string()),
  is_leaf: z.boolean(),
  annotation_diagnostics: z.array(diagnostic),
  /** What it defines though a cell above does. */
  shadow_warnings: z.array(z.string()),
  variant_group: z.string().nullable(),
  variant_name: z.string().nullable(),
  variant_active: z.boolean(),
  is_module_cell: z.boolean(),
  module_exports: z.array(moduleExport).nullable(),
  created_by: z.string().nullable(),
  updated_by: z.string().nullable(),
  /** The new text of the edited cell; null for the others, and for the one who typed it. */
  source: z.string().nullable(),
});

export const serverFrames = {
  cell_status: z.looseObject({
    cell_id: z.string(),
    status: cellStatus,
    staleness_reasons: z.array(z.string()).optional(),
    causality: causality.optional(),
    to_join: z.array(joinAdvice).optional(),
    ...remoteProgress,
  }),
  cell_output: z.looseObject({
    cell_id: z.string(),
    stdout: z.string(),
    stderr: z.string(),
    outputs: z.record(z.string(), displayRecord),
    cache_hit: z.boolean(),
    duration_ms: z.number(),
    artifact_uri: z.string().nullable(),
    execution_method: z.string().nullable(),
    mutation_warnings: z.array(z.looseObject({ var_name: z.string(), message: z.string() })),
    displays: z.array(displayRecord).optional(),
    artifact_uris: z.record(z.string(), z.string()),
    effects: cellEffects.optional(),
  }),
  cell_error: z.looseObject({
    cell_id: z.string(),
    error: z.string(),
    stdout: z.string().optional(),
    stderr: z.string().optional(),
    error_type: z.string().optional(),
    error_text: z.string().optional(),
    error_code: z.string().optional(),
    traceback: z.array(traceFrame).optional(),
    suggest_install: z.string().optional(),
    /** Other packages that the cell would miss next. */
    suggest_install_also: z.array(z.string()).optional(),
    suggest_install_language: z.enum(['python', 'r']).optional(),
  }),
  cell_console: z.object({
    cell_id: z.string(),
    stream: z.enum(['stdout', 'stderr']),
    text: z.string(),
    chunk_seq: z.int().nullable(),
  }),
  /** Null: it was answered, or is over. */
  cell_question: questionBody,
  cell_iteration_progress: z.looseObject({
    cell_id: z.string(),
    iteration: z.int(),
    max_iter: z.int(),
    until_reached: z.boolean(),
    duration_ms: z.number(),
  }),
  cell_variant_progress: z.looseObject({
    cell_id: z.string(),
    variant: z.string(),
    index: z.int(),
    total: z.int(),
    success: z.boolean(),
  }),
  cell_test_status: z.looseObject({ cell_id: z.string(), status: z.string() }),
  cell_test_results: z.looseObject({
    cell_id: z.string(),
    passed: z.int(),
    failed: z.int(),
    errored: z.int(),
    skipped: z.int(),
    tests: z.array(z.looseObject({ name: z.string(), outcome: z.string(), message: z.string().nullish() })),
  }),
  cascade_prompt: z.object({
    cell_id: z.string(),
    plan_id: z.string(),
    cells_to_run: z.array(z.string()),
    estimated_duration_ms: z.number(),
  }),
  cell_inputs: z.object({ cell_id: z.string(), machine: z.string(), inputs: z.array(farInput) }),
  read_confirm_prompt: z.object({ prompt_id: z.string(), cells: z.array(cellRead), message: z.string().optional() }),
  cascade_progress: z.looseObject({
    plan_id: z.string().nullish(),
    current_cell_id: z.string().nullish(),
    completed: z.int(),
    total: z.int(),
  }),
  dag_update: z.looseObject({
    edges: z.array(edge),
    roots: z.array(z.string()),
    leaves: z.array(z.string()),
    topological_order: z.array(z.string()),
    cells: z.array(cellAnalysis),
    variant_groups: z.array(variantGroupRecord),
  }),
  notebook_state: notebookState.extend({ cells: z.array(cellRecord) }),
  impact_preview: z.looseObject({
    target_cell_id: z.string(),
    upstream: z.array(
      z.looseObject({ cell_id: z.string(), cell_name: z.string(), reason: z.string(), estimated_ms: z.number() }),
    ),
    downstream: z.array(z.looseObject({ cell_id: z.string(), cell_name: z.string(), current_status: z.string() })),
    estimated_ms: z.number(),
  }),
  profiling_summary: z.looseObject({
    total_execution_ms: z.number(),
    cache_hits: z.number(),
    cache_misses: z.number(),
    cache_savings_ms: z.number(),
    cell_profiles: z.array(
      z.looseObject({
        cell_id: z.string(),
        cell_name: z.string(),
        status: z.string(),
        duration_ms: z.number(),
        cache_hit: z.boolean(),
        execution_count: z.number(),
        /** Of its last run on this server: when it ended (milliseconds since 1970), what it stored, what its process took at most. */
        ended_at: z.number().nullable().optional(),
        stored_bytes: z.number().optional(),
        peak_memory_bytes: z.number().nullable().optional(),
      }),
    ),
  }),
  inspect_result: z.looseObject({
    cell_id: z.string(),
    action: z.enum(['open', 'eval', 'close']),
    ok: z.boolean(),
    result: z.string().optional(),
    type: z.string().optional(),
    stdout: z.string().optional(),
    error: z.string().optional(),
    expr: z.string().optional(),
  }),
  /** `reason`: why it is not kept, or not any more. */
  widgets_kept: z.looseObject({
    cell_id: z.string(),
    kept: z.boolean(),
    messages: z.array(commMessage),
    printed: z.string(),
    reason: z.string().optional(),
  }),
  environment_job_started: z.looseObject({ environment_job: environmentJob }),
  environment_job_progress: z.looseObject({ environment_job: environmentJob }),
  environment_job_finished: z.looseObject({
    environment_job: environmentJob,
    environment: z.looseObject({ sync_state: z.string() }).optional(),
    cells: z.array(cellRecord).optional(),
  }),
  environment_job_queue: z.object({ jobs: z.array(z.looseObject({ id: z.string(), label: z.string() })).readonly() }),
  presence: z.object({
    principals: z.array(z.object({ principal: z.string(), focused_cell_id: z.string().nullable(), since: z.number() })),
    you: z.string(),
  }),
  /** Every cursor that somebody has in a text now. */
  cursors: z.object({
    cursors: z.array(z.object({ principal: z.string(), cell_id: z.string(), anchor: z.int(), head: z.int() })),
  }),
  agent_activity: agentActivityBody,
  notebook_comments: commentsBody,
  agent_note: z.looseObject({ source: z.string(), text: z.string() }),
  session_closed: z.object({ reason: z.string(), message: z.string() }),
  error: z.looseObject({
    error: z.string(),
    code: z.string().optional(),
    cell_id: z.string().optional(),
    held_by: z.string().optional(),
    /** With `source_changed`: what the cell says now. */
    source: z.string().optional(),
  }),
} as const;

export type ServerFrameType = keyof typeof serverFrames;
export type ServerPayload<T extends ServerFrameType> = z.infer<(typeof serverFrames)[T]>;
/** A frame of a type that this version knows; others are skipped by their number. */
export type KnownFrame = {
  [T in ServerFrameType]: {
    readonly type: T;
    readonly seq: number;
    readonly ts: string;
    readonly payload: ServerPayload<T>;
  };
}[ServerFrameType];

export type EnvironmentJob = z.infer<typeof environmentJob>;
export type DisplayRecord = z.infer<typeof displayRecord>;
export type Diagnostic = z.infer<typeof diagnostic>;
export type Causality = z.infer<typeof causality>;
export type VariantGroup = z.infer<typeof variantGroupRecord>;
