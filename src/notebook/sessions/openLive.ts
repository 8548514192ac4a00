// The live state of a notebook that is being opened, wired to its processes, its store and the people in it.
import type { ArtifactStore } from '../../artifacts/index.ts';
import { holds } from '../../identity/index.ts';
import { type Connections, createConnections } from '../connections/index.ts';
import {
  createReactive,
  createWidgets,
  type LiveNotebook,
  openCellNotes,
  openLiveNotebook,
  type Reactive,
  type Widgets,
} from '../live/index.ts';
import { createShaper } from '../shape/index.ts';
import { buildEnvOf, isAttested } from './environmentFacts.ts';
import { fetchEnv } from './fetchedEnv.ts';
import type { NotebookProcesses } from './notebookProcesses.ts';
import type { Opening } from './opening.ts';
import { openLanguages } from './openLanguages.ts';
import type { People } from './people.ts';
import type { NotebookAudience, SessionParts } from './sessionParts.ts';

export interface OpenLiveParts {
  readonly opening: Opening;
  readonly audience: NotebookAudience;
  readonly people: People;
  readonly processes: NotebookProcesses;
  readonly store: ArtifactStore;
  /** Takes over what others wrote to these files. */
  readonly catchUp: (files: Iterable<string>) => Promise<void>;
  /** Whether its folder is where it was. */
  readonly isHere: () => boolean;
  /** A run is over. */
  readonly onRested: () => void;
  /** The languages are there; the cells are looked at next. */
  readonly begin: () => void;
}

export interface OpenedLive {
  readonly live: LiveNotebook;
  readonly reactive: Reactive;
  readonly widgets: Widgets;
  readonly connections: Connections;
}

export async function openLive(parts: SessionParts, its: OpenLiveParts): Promise<OpenedLive> {
  const { opening, audience, people, processes, store } = its;
  const { environment } = processes;
  const { directory } = opening;
  const notes = await openCellNotes(directory);
  const { languages, remote, sql, tables } = await openLanguages(parts, directory, people, processes);
  its.begin();
  const connections = createConnections({ ...sql, notebook: opening.notebook });
  const notebook = opening.notebook();
  let reactive: Reactive | undefined;
  let widgets: Widgets | undefined;
  const live = await openLiveNotebook({
    openingId: opening.id,
    notebook: { ...notebook, fetched: await fetchEnv(notebook, parts.sql.serverEnv) },
    audience,
    environment,
    store,
    languages,
    pythonRuntime: () => (parts.mayRunHere ? processes.runtime() : undefined),
    notes,
    connections,
    shapeOf: createShaper({
      languages,
      workers: {
        identity: remote.identity,
        names: ({ workers }) => parts.catalog.names(workers),
        areOwnUsed: parts.catalog.isEditable,
      },
      environmentHash: () => environment.state().lockfile_hash,
      chosen: (cellId) => notes.of(cellId).widget_values,
      defaultTimeout: parts.defaultTimeout,
    }),
    analyseAhead: (source) => void parts.analysis.analyse(source).catch(() => {}),
    hold: () => parts.holds.over(directory),
    catchUp: its.catchUp,
    isHere: its.isHere,
    onEdited: (cellIds) => reactive?.changed(cellIds),
    onRan: (outcome) => reactive?.ran(outcome),
    onRested() {
      people.session()?.touch();
      its.onRested();
      widgets?.rested();
      reactive?.rested();
    },
    log: parts.log,
    tableWriter: tables.writer,
    team: parts.team?.cacheFor({
      store,
      principal: () => people.caller().principal,
      buildEnv: () => buildEnvOf(environment.state().python_version),
    }),
    isAttested: (language) => isAttested(environment, language),
    keepSuperseded: parts.keepSuperseded,
    lockSeconds: parts.lockSeconds,
    questions: parts.questions,
    readLimits: parts.readLimits,
    keptLimits: parts.keptLimits,
    codec: parts.codec,
  });
  reactive = createReactive(live, {
    limits: parts.reactiveLimits,
    mayRun() {
      const objection = live.mayRun(null);
      return holds(people.caller(), 'notebook:execute') && (objection === null || objection.type === 'running');
    },
  });
  widgets = createWidgets(live, reactive);
  return { live, reactive, widgets, connections };
}
