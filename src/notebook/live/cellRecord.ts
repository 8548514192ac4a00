// A cell as clients see it: document, shape, state and last result in one record.
import type { WidgetDescriptor } from '../../engine/index.ts';
import type { CellQuestion, CellRecord, CellTestResult, JoinAdvice } from '../../protocol/index.ts';
import type { RemoteEvent } from '../../runtimes/index.ts';
import { type Cell, maskedEnv, type Notebook } from '../document/index.ts';
import type { FarInput } from '../languages/index.ts';
import type { KeptResult } from '../run/index.ts';
import type { CellShape } from '../shape/index.ts';
import { type CellState, unknownCell } from '../state/index.ts';
import type { CellNote } from './cellNotes.ts';
import type { RunningConsole } from './console.ts';
import type { LastRun } from './history.ts';
import type { Imported } from './imported.ts';
import { installFields, primaryUri, shownDisplay, urisOf } from './outputFrames.ts';
import { shownMount } from './shown.ts';
import { remoteFields } from './statusFrames.ts';
import type { TestedState } from './tested.ts';

export interface CellView {
  readonly notebook: Notebook;
  readonly cell: Cell;
  readonly shape: CellShape | undefined;
  readonly state: CellState | undefined;
  readonly shown: KeptResult | undefined;
  /** What a running cell has printed so far. */
  readonly console: RunningConsole | undefined;
  /** Where a running cell is that was handed to a worker. */
  readonly whereabouts: RemoteEvent | undefined;
  readonly note: CellNote;
  /** What it showed where it comes from, as long as it has not run here. */
  readonly imported: Imported | undefined;
  readonly inputs: readonly FarInput[] | undefined;
  readonly toJoin: readonly JoinAdvice[];
  readonly question: CellQuestion | undefined;
  /** What a result of its tests would speak about now. */
  readonly tested: () => TestedState;
  readonly lastRun: Pick<LastRun, 'cacheHit' | 'executionMethod' | 'remote'> | undefined;
}

export function cellRecordOf({
  notebook,
  cell,
  shape,
  state = unknownCell,
  shown,
  console,
  whereabouts,
  lastRun,
  note,
  imported: from,
  inputs,
  toJoin,
  question,
  tested,
}: CellView): CellRecord {
  const imported = shown === undefined && console === undefined && state.error == null ? from : undefined;
  const displays = ((shown ?? imported)?.displays ?? []).map(shownDisplay);
  const printed = console ?? state.error ?? shown ?? imported;
  return {
    id: cell.id,
    source: cell.source,
    test_source: cell.testSource,
    test_result: note.test_result && { ...note.test_result, stale: isStale(note.test_result, tested()) },
    inputs: inputs?.map((one) => ({ ...one })) ?? [],
    inputs_machine: inputs === undefined ? null : 'local',
    language: cell.language,
    order: cell.order,
    created_by: cell.createdBy,
    updated_by: cell.updatedBy,
    status: state.status,
    ...(console ? { running_ms: Math.round(performance.now() - console.begun) } : {}),
    defines: [...(shape?.defines ?? [])],
    references: [...(shape?.references ?? [])],
    mutation_defines: [...(shape?.mutationDefines ?? [])],
    builtin_references: [...(shape?.builtinReferences ?? [])],
    upstream_ids: [...(shape?.upstreamIds ?? [])],
    downstream_ids: [...(shape?.downstreamIds ?? [])],
    worker: cell.worker ?? notebook.worker,
    worker_override: cell.worker,
    timeout: cell.timeout ?? notebook.timeout,
    timeout_override: cell.timeout,
    env: maskedEnv({ ...notebook.env, ...cell.env }),
    env_overrides: maskedEnv(cell.env),
    mounts: [
      ...notebook.mounts.filter(({ name }) => !cell.mounts.some((own) => own.name === name)),
      ...cell.mounts,
    ].map(shownMount),
    mount_overrides: cell.mounts.map(shownMount),
    variant_group: shape?.variantGroup ?? null,
    variant_name: shape?.variantName ?? null,
    variant_active: shape?.variantActive ?? true,
    annotation_diagnostics: [...(shape?.diagnostics ?? [])],
    is_leaf: shape?.isLeaf ?? true,
    staleness: shape?.variantActive === false ? null : { status: state.status, reasons: [...state.reasons] },
    artifact_uri: shown ? primaryUri(shown) : null,
    artifact_uris: shown ? urisOf(shown) : {},
    display_outputs: displays,
    display_output: displays.at(-1) ?? null,
    console_stdout: printed?.stdout ?? '',
    console_stderr: printed?.stderr ?? '',
    error: state.error?.text ?? null,
    ...(state.error?.install === undefined ? {} : { suggest_install: null, ...installFields(state.error.install) }),
    cache_hit: state.status === 'ready' && (lastRun?.cacheHit ?? false),
    execution_method: lastRun?.executionMethod ?? null,
    remote_worker: lastRun?.remote?.worker ?? null,
    remote_transport: lastRun?.remote?.transport ?? null,
    remote_build_id: lastRun?.remote?.buildId ?? null,
    remote_build_state: lastRun?.remote?.buildState ?? null,
    remote_error_code: lastRun?.remote?.errorCode ?? null,
    ...(whereabouts ? remoteFields(whereabouts) : {}),
    staleness_reasons: [...state.reasons],
    annotations: shape?.annotations ?? {},
    ...(shape?.widget
      ? { widget: { descriptors: shape.widget.descriptors.map(shownControl), values: note.widget_values } }
      : {}),
    ...(cell.language === 'python' ? { is_module_cell: shape?.isModuleCell ?? false } : {}),
    ...(shape?.isModuleCell ? { module_exports: shape.moduleExports } : {}),
    ...(state.causality ? { causality: { ...state.causality, details: [...state.causality.details] } } : {}),
    ...(imported ? { imported_outputs: true as const } : {}),
    ...(shown?.effects ? { effects: shown.effects } : {}),
    ...(question ? { question } : {}),
    ...(toJoin.length > 0 ? { to_join: [...toJoin] } : {}),
    ...(shape && shape.shadowWarnings.length > 0 ? { shadow_warnings: [...shape.shadowWarnings] } : {}),
  };
}

const isStale = (result: CellTestResult, now: TestedState): boolean =>
  result.cell_source_hash !== now.cell_source_hash ||
  result.test_source_hash !== now.test_source_hash ||
  result.input_fingerprint !== now.input_fingerprint;

const shownControl = ({ name, kind, params, default: value }: WidgetDescriptor) => ({
  name,
  kind,
  params,
  default: value,
});
