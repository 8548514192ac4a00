// The state of one scan as a value: whether it reads, who wants it and what became of it. `after(state, event)` gives the next one.
import type { ArtifactVersion } from '../../artifacts/index.ts';

export type ScanPhase = 'waiting' | 'running' | 'ready' | 'failed';

export interface ScanState {
  readonly phase: ScanPhase;
  /** The stored result, or the one that is being made; undefined where there is no store. */
  readonly version: ArtifactVersion | undefined;
  readonly failure: Error | undefined;
  readonly watchers: number;
  /** A build was asked for, which goes on with nobody watching. */
  readonly isBuilt: boolean;
  /** Somebody was sent every row. */
  readonly wasSent: boolean;
  readonly startedAt: number | undefined;
  readonly endedAt: number | undefined;
}

export type ScanEvent =
  | { readonly type: 'watched' | 'left' | 'buildAsked' | 'sent' }
  | { readonly type: 'started'; readonly at: number }
  /** Everyone who wanted it had gone: it may start again. */
  | { readonly type: 'unwanted' }
  | { readonly type: 'ready'; readonly version: ArtifactVersion | undefined; readonly at: number }
  | { readonly type: 'failed'; readonly failure: Error; readonly at?: number };

export const newScan = (version: ArtifactVersion | undefined): ScanState => ({
  phase: 'waiting',
  version,
  failure: undefined,
  watchers: 0,
  isBuilt: false,
  wasSent: false,
  startedAt: undefined,
  endedAt: undefined,
});

export function after(state: ScanState, event: ScanEvent): ScanState {
  switch (event.type) {
    case 'watched':
      return { ...state, watchers: state.watchers + 1 };
    case 'left':
      return { ...state, watchers: state.watchers - 1 };
    case 'buildAsked':
      return { ...state, isBuilt: true };
    case 'sent':
      return { ...state, wasSent: true };
    case 'started':
      return { ...state, phase: 'running', startedAt: event.at };
    case 'unwanted':
      return { ...state, phase: 'waiting' };
    case 'ready':
      return { ...state, phase: 'ready', version: event.version, endedAt: event.at };
    case 'failed':
      return { ...state, phase: 'failed', failure: event.failure, endedAt: event.at };
  }
}

/** It reads, and nobody wants it any more. */
export const isUnwanted = ({ phase, watchers, isBuilt }: ScanState): boolean =>
  phase === 'running' && watchers === 0 && !isBuilt;

/** Row groups are held while anybody reads them, or the result is being put together. */
export const holdsRowGroups = ({ phase, watchers }: ScanState): boolean => watchers > 0 || phase === 'running';

/** Every row was sent, and what is stored of them is still on its way. */
export const isSettling = ({ phase, wasSent }: ScanState): boolean => wasSent && phase === 'running';
