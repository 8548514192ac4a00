// `cell_output` and `cell_error` payloads, from a run that just ended or from a result that was found.
import type { RemoteRun, RunResult, ValueRecord } from '../../runtimes/index.ts';
import type { SuggestedInstall } from '../../suggestInstall.ts';
import type { KeptResult, TeamOrigin } from '../run/index.ts';

export function outputPayload(cellId: string, run: RunResult, result: KeptResult): object {
  const last = result.displays.at(-1);
  return {
    cell_id: cellId,
    stdout: run.stdout,
    stderr: run.stderr,
    outputs: {
      ...(run.executionMethod === 'widget' ? chosen(run, result) : shown(run.variables)),
      ...(last ? { _: shownDisplay(last) } : {}),
    },
    cache_hit: false,
    duration_ms: Math.round(run.durationMs),
    artifact_uri: primaryUri(result),
    execution_method: run.executionMethod,
    ...remoteFields(run.remote),
    mutation_warnings: run.mutationWarnings,
    ...(run.validationRetries === undefined ? {} : { validation_retries: run.validationRetries }),
    ...(run.snapshot ? { snapshot_at: run.snapshot.at, snapshot_valid_until: run.snapshot.validUntil } : {}),
    ...displaysOf(result),
    artifact_uris: urisOf(result),
    ...(result.effects ? { effects: result.effects } : {}),
  };
}

/** `controls`: what stands on those of a widget cell. */
export function hitPayload(cellId: string, kept: KeptResult, controls: Readonly<Record<string, unknown>>): object {
  return {
    cell_id: cellId,
    stdout: kept.stdout,
    stderr: kept.stderr,
    outputs: Object.fromEntries(
      Object.entries(controls).map(([name, preview]) => [
        name,
        { content_type: 'json/object', artifact_uri: kept.variables[name]?.uri ?? null, preview },
      ]),
    ),
    cache_hit: true,
    duration_ms: 0,
    artifact_uri: primaryUri(kept),
    execution_method: 'cached',
    mutation_warnings: [],
    ...displaysOf(kept),
    artifact_uris: urisOf(kept),
    ...(kept.effects ? { effects: kept.effects } : {}),
  };
}

export function errorPayload(cellId: string, run: RunResult, problem: string): object {
  const { error, errorCode, suggestInstall } = run;
  return {
    cell_id: cellId,
    stdout: run.stdout,
    stderr: run.stderr,
    error: problemLine(run, problem),
    ...(errorCode === undefined ? {} : { error_code: errorCode }),
    ...remoteFields(run.remote),
    ...(error ? { error_type: error.error_type, traceback: error.traceback, error_text: error.text } : {}),
    ...installFields(suggestInstall),
  };
}

/** Which packages would help. */
export const installFields = (suggested: SuggestedInstall | null | undefined) =>
  suggested
    ? {
        suggest_install: suggested.package,
        suggest_install_language: suggested.language,
        ...(suggested.also === undefined ? {} : { suggest_install_also: suggested.also }),
      }
    : {};

/** What went wrong in one line, without its traceback. */
export const problemLine = ({ error }: RunResult, problem: string): string =>
  error ? [error.error_type, error.message].filter((part) => part !== '').join(': ') : problem;

/** Whether a colleague computed the result, and what that saved. */
export const teamFields = (team: TeamOrigin | undefined) => ({
  from_team_cache: team !== undefined,
  team_cache_principal: team?.principal ?? null,
  team_cache_build_env: team?.buildEnv ?? '',
  team_cache_saved_ms: team?.savedMs ?? 0,
  team_cache_promotion: team?.promotion ?? null,
});

/** Where a run took place, when not here. */
export const remoteFields = (remote: RemoteRun | undefined): object =>
  remote === undefined
    ? {}
    : {
        remote_worker: remote.worker,
        remote_transport: remote.transport,
        ...(remote.buildId === undefined ? {} : { remote_build_id: remote.buildId }),
        ...(remote.buildState === undefined ? {} : { remote_build_state: remote.buildState }),
        ...(remote.errorCode === undefined ? {} : { remote_error_code: remote.errorCode }),
      };

/** Values by variant have no address of their own. */
export const urisOf = (result: KeptResult): Record<string, string> =>
  Object.fromEntries(
    Object.entries(result.variables)
      .filter(([, { sweep }]) => sweep === undefined)
      .map(([name, { uri }]) => [name, uri]),
  );

/** The first stored variable by name, else the last display. */
export const primaryUri = (result: KeptResult): string | null =>
  Object.entries(urisOf(result)).sort(([a], [b]) => (a < b ? -1 : 1))[0]?.[1] ??
  result.displays.at(-1)?.artifact_uri ??
  null;

/** Absent altogether when nothing was displayed. */
function displaysOf({ displays }: KeptResult): object {
  const all = displays.map(shownDisplay);
  return all.length === 0 ? {} : { displays: all, display: all.at(-1) };
}

/** Digests are for the store; clients get addresses, and every key that a display may have. */
export function shownDisplay({ sha256: _digest, ...display }: ValueRecord & { readonly artifact_uri: string | null }) {
  return { ...noDisplay, ...display };
}

const noDisplay = {
  rows: null,
  columns: null,
  preview: null,
  inline_data_url: null,
  markdown_text: null,
  width: null,
  height: null,
  error: null,
};

const shown = (variables: Readonly<Record<string, ValueRecord>>): Record<string, object> =>
  Object.fromEntries(Object.entries(variables).map(([name, { sha256: _digest, ...record }]) => [name, record]));

/** What was chosen on controls lies in the store from the start: it is shown with its address instead of a file. */
const chosen = ({ variables }: RunResult, result: KeptResult): Record<string, object> =>
  Object.fromEntries(
    Object.entries(variables).map(([name, { content_type, preview }]) => [
      name,
      { content_type, artifact_uri: result.variables[name]?.uri ?? null, preview },
    ]),
  );
