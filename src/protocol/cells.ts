// Cells and the graph of a notebook as they cross the wire, over REST and in frames alike.

import { z } from 'zod';
import { cellLanguages, usualLanguage } from '../cellLanguages.ts';

/** What one step of a loop carried. */
export const iterationRecord = z.object({
  iteration: z.int(),
  artifact_uri: z.string(),
  artifact_id: z.string(),
  version: z.int(),
  content_type: z.string(),
  byte_size: z.number().nullable(),
  row_count: z.number().nullable(),
  created_at: z.number(),
});
export type IterationRecord = z.infer<typeof iterationRecord>;

export const storedValueBody = z.object({
  cell_id: z.string(),
  artifact_uri: z.string(),
  content_type: z.string(),
  byte_size: z.number().nullable(),
  /** The JSON of a number, a text, a list or a dictionary; null for what is none, or is too large for a look. */
  text: z.string().nullable(),
});
export type StoredValueBody = z.infer<typeof storedValueBody>;

export const cellTestResult = z.object({
  passed: z.int(),
  failed: z.int(),
  errored: z.int(),
  skipped: z.int(),
  tests: z.array(
    z.object({
      name: z.string(),
      nodeid: z.string(),
      outcome: z.enum(['passed', 'failed', 'error', 'skipped']),
      message: z.string(),
    }),
  ),
  pytest_unavailable: z.boolean(),
  auto_installed: z.array(z.string()),
  /** Milliseconds since 1970. */
  ran_at: z.number(),
  cell_source_hash: z.string(),
  test_source_hash: z.string(),
  input_fingerprint: z.string(),
});
export type CellTestResult = z.infer<typeof cellTestResult>;

export const cellLanguageName = z.enum(cellLanguages);
export const cellStatus = z.enum(['idle', 'running', 'ready', 'error', 'stale']);

export const diagnostic = z.object({
  severity: z.enum(['error', 'warn', 'info']),
  code: z.string(),
  message: z.string(),
  line: z.int().nullable(),
});

export const moduleExport = z.object({
  name: z.string(),
  kind: z.enum(['function', 'async function', 'class', 'constant']),
});

export const causality = z.object({
  reason: z.enum(['self', 'upstream', 'env']),
  details: z.array(
    z.object({
      type: z.enum(['source_changed', 'input_changed', 'env_changed', 'file_changed', 'setting_changed', 'large_read']),
      cell_id: z.string().optional(),
      cell_name: z.string().optional(),
      from_version: z.int().optional(),
      to_version: z.int().optional(),
      package: z.string().optional(),
      bytes: z.number().optional(),
      file: z.string().optional(),
      setting: z.string().optional(),
      /** Its source is as it was: values that are read now were not kept when it ran. */
      unkept: z.literal(true).optional(),
    }),
  ),
  /** In a reactive notebook: why the cell did not follow by itself. */
  waits: z
    .object({
      because: z.enum(['slow', 'together', 'outside', 'unknown', 'broken', 'above']),
      duration_ms: z.number().optional(),
    })
    .optional(),
});

/** What a run touched beside its variables: names, never contents. Files of the notebook are named from its folder. */
export const cellEffects = z.object({
  read: z.array(z.string()).readonly(),
  written: z.array(z.string()).readonly(),
  listed: z.array(z.string()).readonly(),
  hosts: z.array(z.string()).readonly(),
  programs: z.array(z.string()).readonly(),
  variables: z.array(z.string()).readonly(),
  clock: z.boolean(),
  entropy: z.boolean(),
  /** It asked a person, or would have. */
  asked: z.boolean().optional(),
  /** How many more files it read, or may have read, than could be watched. */
  unwatched: z.int(),
  /** Settings that cells share: those that may have mattered to it, and those that it made something of for the cells below. */
  settings_used: z.array(z.string()).readonly().optional(),
  settings_made: z.array(z.string()).readonly().optional(),
  /** Inputs that cannot be kept: the cells that make them were run first, in the same process. */
  remade: z.array(z.string()).readonly().optional(),
  /** The worker that it ran on: its files lie there, and are told and not watched. */
  worker: z.string().optional(),
});
export type CellEffects = z.infer<typeof cellEffects>;

/** A value as it is shown: content type, size and a preview; more depends on the kind. */
export const displayRecord = z.looseObject({
  content_type: z.string(),
  artifact_uri: z.string().nullable().optional(),
});

/** What a cell reads from far away, and how much of it is here already; null where nobody told. */
export const farInput = z.object({
  kind: z.enum(['mount', 'table', 'fetch']),
  name: z.string(),
  uri: z.string(),
  credential: z.string().nullable(),
  bytes: z.number().nullable(),
  cached_bytes: z.number().nullable(),
});

/** What one cell of a run would bring here. */
export const cellRead = z.object({
  cell_id: z.string(),
  machine: z.string(),
  inputs: z.array(farInput),
  bytes_to_move: z.number(),
  /** In dollars. */
  cost: z.number(),
});

/** One of the results that are kept of a cell, newest first. */
export const cellResult = z.object({
  provenance_hash: z.string(),
  /** Seconds since 1970. */
  created_at: z.number(),
  duration_ms: z.number(),
  /** It is the one that the cell shows. */
  is_current: z.boolean(),
  /** What the cell said then; null for results of before it was kept. */
  source: z.string().nullable(),
  stdout: z.string(),
  stderr: z.string(),
  display_outputs: z.array(displayRecord),
});

export type CellResultRecord = z.infer<typeof cellResult>;

/** Cells that only work as one: what one of them makes can neither be kept for the other nor made anew there. */
export const joinAdvice = z.object({
  name: z.string(),
  /** `generator`, `lock`, … */
  kind: z.string(),
  /** To be joined, in the order of the notebook: who makes it, and who reads it. */
  cell_ids: z.array(z.string()),
  message: z.string(),
});

export type JoinAdvice = z.infer<typeof joinAdvice>;

/** A place in a cell (`cell_id`) or in a library (`file`). */
export const traceFrame = z.object({
  cell_id: z.string().nullable(),
  line: z.int().nullable(),
  function: z.string(),
  text: z.string(),
  file: z.string().optional(),
  column: z.int().nullable().optional(),
  end_column: z.int().nullable().optional(),
});
export type TraceFrame = z.infer<typeof traceFrame>;

/** The innermost frame is last; `at` is its number for the debugger's command `frame`. */
export const debugFrame = traceFrame.extend({ at: z.int() });

/** What a cell asks whoever watches: a line, a password, or the next command of its debugger. */
export const cellQuestion = z.discriminatedUnion('kind', [
  z.object({ question_id: z.string(), kind: z.enum(['line', 'secret']), prompt: z.string() }),
  z.object({
    question_id: z.string(),
    kind: z.literal('debug'),
    /** `failure`: the run is over; its process stays to be looked into. */
    reason: z.enum(['breakpoint', 'failure']),
    /** What the command before it printed. */
    said: z.string(),
    frames: z.array(debugFrame).readonly(),
    /** The frame that is looked at. */
    at: z.int(),
    variables: z.array(z.object({ name: z.string(), type: z.string(), value: z.string() })).readonly(),
    /** Null where no editor can attach; its address is null until somebody asks for one (the command `attach`). */
    editor: z.object({ address: z.string().nullable() }).nullable(),
  }),
]);
export type CellQuestion = z.infer<typeof cellQuestion>;

/** `text`: null cancels the question. */
export const answerRequest = z.object({ question_id: z.string().min(1), text: z.string().max(100_000).nullable() });
export const questionBody = z.object({ cell_id: z.string(), question: cellQuestion.nullable() });
export const answerBody = z.object({ cell_id: z.string(), answered: z.literal(true) });

/** Of a cell that was handed to a worker: where it is, in the worker's own words where it has any. */
export const remoteProgress = {
  remote_worker: z.string().nullish(),
  remote_build_state: z.string().nullish(),
  remote_queue_position: z.int().optional(),
  remote_queue_detail: z.string().optional(),
};

export const cellRecord = z.looseObject({
  id: z.string(),
  source: z.string(),
  test_source: z.string(),
  language: cellLanguageName,
  order: z.number(),
  created_by: z.string().nullable(),
  updated_by: z.string().nullable(),
  status: cellStatus,
  defines: z.array(z.string()),
  references: z.array(z.string()),
  mutation_defines: z.array(z.string()),
  builtin_references: z.array(z.string()),
  upstream_ids: z.array(z.string()),
  downstream_ids: z.array(z.string()),
  worker: z.string().nullable(),
  worker_override: z.string().nullable(),
  timeout: z.number().nullable(),
  timeout_override: z.number().nullable(),
  env: z.record(z.string(), z.string()),
  env_overrides: z.record(z.string(), z.string()),
  variant_group: z.string().nullable(),
  variant_name: z.string().nullable(),
  variant_active: z.boolean(),
  annotation_diagnostics: z.array(diagnostic),
  is_leaf: z.boolean(),
  staleness: z.object({ status: cellStatus, reasons: z.array(z.string()) }).nullable(),
  staleness_reasons: z.array(z.string()),
  causality: causality.optional(),
  shadow_warnings: z.array(z.string()).optional(),
  to_join: z.array(joinAdvice).optional(),
  /** Of the result that is shown, where it was seen. */
  effects: cellEffects.optional(),
  /** What it waits for somebody to answer. */
  question: cellQuestion.optional(),
  /** It shows what it showed in the notebook that was imported, and has not run here. */
  imported_outputs: z.literal(true).optional(),
  artifact_uri: z.string().nullable(),
  artifact_uris: z.record(z.string(), z.string()),
  display_outputs: z.array(displayRecord),
  display_output: displayRecord.nullable(),
  console_stdout: z.string(),
  console_stderr: z.string(),
  /** How many characters (UTF-16 code units) the whole has, where only its end is told. */
  console_stdout_length: z.int().optional(),
  console_stderr_length: z.int().optional(),
  error: z.string().nullable(),
  /** The package that a failed cell misses, others that it would miss next, and what they are for. Null: none would help. Left
   *  out where nobody kept it. */
  suggest_install: z.string().nullable().optional(),
  suggest_install_also: z.array(z.string()).optional(),
  suggest_install_language: z.enum(['python', 'r']).optional(),
  cache_hit: z.boolean(),
  /** How long it has been running. */
  running_ms: z.number().optional(),
  execution_method: z.string().nullable(),
  ...remoteProgress,
});

export const dagRecord = z.object({
  edges: z.array(z.object({ from_cell_id: z.string(), to_cell_id: z.string(), variable: z.string() })).readonly(),
  topological_order: z.array(z.string()).readonly(),
  leaves: z.array(z.string()).readonly(),
  roots: z.array(z.string()).readonly(),
  /** Name → cell id, `sweep:<group>` or `fanout:<group>`. */
  variable_producer: z.record(z.string(), z.string()),
  /** Why the graph cannot be built; everything else is empty then. */
  error: z.string().optional(),
});

export const variantGroupRecord = z.object({
  group: z.string(),
  active_name: z.string().nullable(),
  active_cell_id: z.string().nullable(),
  mode: z.string(),
  members: z.array(z.object({ cell_id: z.string(), name: z.string(), is_active: z.boolean() })).readonly(),
});

/** As notebooks ask for it: `3.13`. */
export const pythonVersion = z
  .string()
  .max(16)
  .refine((version) => /^\d+\.\d+$/.test(version), 'A Python version is written as major.minor, such as 3.13');

export const createNotebookRequest = z.object({
  parent_path: z.string(),
  name: z.string(),
  python_version: pythonVersion.nullable().default(null),
  starter_cell: z.boolean().default(false),
});

export const openNotebookRequest = z.object({ path: z.string() });

/** Longer sources are refused everywhere. */
export const maxSourceCharacters = 1_000_000;

/** The model that proposed the text; who accepted it is named beside it. */
const assistedBy = z.string().max(128).nullable().default(null);

export const addCellRequest = z.object({
  after_cell_id: z.string().nullable().default(null),
  language: cellLanguageName.default(usualLanguage),
  /** Absent: what a cell of its language begins with. */
  source: z.string().max(maxSourceCharacters).optional(),
  author: z.string().max(128).nullable().default(null),
  assisted_by: assistedBy,
});

export const editCellRequest = z.object({
  source: z.string().max(maxSourceCharacters),
  author: z.string().max(128).nullable().default(null),
  assisted_by: assistedBy,
  /** The text that was changed; refused when it is no longer the cell's, unless forced. */
  base: z.string().max(maxSourceCharacters).optional(),
  force: z.boolean().default(false),
});

export const editCellBody = z.object({ cell: cellRecord, dag: dagRecord, cells: z.array(cellRecord) });
export const cellsBody = z.object({ notebook_id: z.string(), cells: z.array(cellRecord) });
export const reorderCellsRequest = z.object({ cell_ids: z.array(z.string()) });
export const cancelBody = z.object({ cell_id: z.string(), cancelled: z.boolean(), status: cellStatus });
export const closeBody = z.object({ closed: z.literal(true), session_id: z.string(), path: z.string() });

/** How one cell went in a run without people; what a key would say in vain is left out. */
export const cellReport = z.object({
  id: z.string(),
  status: z.enum(['ok', 'error', 'skipped']),
  duration_ms: z.number(),
  cache_hit: z.boolean(),
  reason: z.string().optional(),
  stdout: z.string().optional(),
  stderr: z.string().optional(),
  error: z.string().optional(),
  traceback: z.string().optional(),
  error_code: z.string().optional(),
  mutation_warnings: z.array(z.looseObject({ var_name: z.string() })).optional(),
  provenance_hash: z.string().optional(),
  outputs: z
    .array(
      z.object({
        name: z.string(),
        artifact_id: z.string(),
        version: z.int(),
        content_sha256: z.string().nullable(),
      }),
    )
    .optional(),
  tests: z.array(z.object({ name: z.string(), outcome: z.string(), message: z.string() })).optional(),
});

export const executeBody = z.looseObject({
  cell_id: z.string(),
  stdout: z.string(),
  stderr: z.string(),
  outputs: z.record(z.string(), displayRecord),
  duration_ms: z.number(),
  error: z.string().nullable(),
  traceback: z.string().nullable(),
  cache_hit: z.boolean(),
  artifact_uri: z.string().nullable(),
  execution_method: z.string().nullable(),
  mutation_warnings: z.array(z.looseObject({ var_name: z.string() })),
  status: z.enum(['ready', 'error']),
  displays: z.array(displayRecord),
  display: displayRecord.nullable(),
  report: cellReport.optional(),
});

export type CellReport = z.infer<typeof cellReport>;
export type CellRecord = z.infer<typeof cellRecord>;
export type DagRecord = z.infer<typeof dagRecord>;
export type ExecuteBody = z.infer<typeof executeBody>;
