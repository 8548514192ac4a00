// Looks at a notebook: analyses its cells, wires them, and settles what each would run with. What is known of a cell is
// kept with the cell itself, so that a look after an edit costs what the edit changed.

import { createHash } from 'node:crypto';
import { can, cellLanguages, kindOf } from '../../cellLanguages.ts';
import {
  type Annotations,
  annotationRecord,
  type Diagnostic,
  diagnose,
  graphNames,
  importedNames,
  type LoopAnnotation,
  parseAnnotations,
  resolveEnv,
  resolveMounts,
  resolveTimeout,
  resolveWorker,
  sourceHash,
} from '../annotations/index.ts';
import { knownDrivers } from '../connections/index.ts';
import {
  consumedVariables,
  type Dag,
  type DagCell,
  dagBody,
  downstreamIds,
  emptyDag,
  injectableNames,
  isActiveVariant,
  isLeaf,
  moduleCell,
  planExports,
  shadowWarnings,
  sweepsOf,
  updateDag,
  upstreamIds,
  variantGroupBody,
} from '../dag/index.ts';
import type { Cell, Notebook } from '../document/index.ts';
import { effective, type Languages, type Meaning, type WidgetValues } from '../languages/index.ts';
import type { CellFacts, Graph, Wire } from '../state/index.ts';
import { type CodeOfCell, createLateNames } from './lateNames.ts';
import type { CellShape, Shape } from './shape.ts';
import { createModuleUse } from './usedModules.ts';
import { wiresOf } from './wires.ts';

export interface ShapeParts {
  readonly languages: Languages;
  /** The hash of the environment that cells run in. */
  readonly environmentHash: () => string;
  /** What users chose on a cell's controls: the same object until they choose again. */
  readonly chosen: (cellId: string) => WidgetValues;
  /** The limit of cells for which nothing else sets one; undefined for the usual. */
  readonly defaultTimeout: number | undefined;
  readonly workers: {
    /** Where a cell with this worker runs, as far as its result depends on it. */
    identity(notebook: Notebook, worker: string): string;
    names(notebook: Notebook): ReadonlySet<string>;
    /** False where workers that a notebook defines are not used. */
    readonly areOwnUsed: boolean;
  };
}

/** What a cell says by itself, whatever stands around it. */
interface Reading {
  readonly annotations: Annotations;
  readonly meaning: Meaning;
  readonly dagCell: DagCell;
  readonly modules: readonly string[];
  readonly code: CodeOfCell['code'];
}

const levers = {
  annotation: "the cell's @timeout annotation",
  cell: "the cell's timeout",
  notebook: "the notebook's timeout",
};

/** A cell's form, and what it was made from: while none of that is another, neither is the form. */
interface Known {
  readonly from: readonly unknown[];
  readonly shape: CellShape;
  readonly facts: CellFacts;
}

export function createShaper({
  languages,
  environmentHash,
  chosen,
  defaultTimeout,
  workers,
}: ShapeParts): (notebook: Notebook) => Promise<Shape> {
  const readings = new WeakMap<Cell, Reading>();
  const moduleUse = createModuleUse();
  const lateNames = createLateNames();
  let known = new Map<string, Known>();
  let dag: Dag = emptyDag;
  let wires: ReadonlyMap<string, readonly Wire[]> = new Map();
  let connections: Notebook['connections'] | undefined;
  /** What every form is made from besides its own parts: the same list while none of it is another. */
  let around: readonly unknown[] = [];

  async function readNew(notebook: Notebook): Promise<void> {
    const { cells } = notebook;
    // The driver of its connection decides how a query is read.
    if (connections !== notebook.connections)
      for (const cell of cells) if (cell.language === 'sql') readings.delete(cell);
    connections = notebook.connections;
    const unread = cells.filter((cell) => !readings.has(cell));
    if (unread.length === 0) return;
    const byLanguage = cellLanguages.map(async (language) => {
      const own = unread.filter((cell) => cell.language === language);
      const meanings = own.length === 0 ? [] : await languages[language].read(own, notebook);
      for (const [index, meaning] of meanings.entries()) {
        const cell = own[index];
        if (cell) readings.set(cell, readingOf(cell, meaning));
      }
    });
    await Promise.all(byLanguage);
  }

  const asksOutside = (notebook: Notebook, cell: Cell): string | null =>
    languages[cell.language].outside?.asks({ notebook, cell, annotations: read(cell).annotations }) ?? null;

  function read(cell: Cell): Reading {
    const reading = readings.get(cell);
    if (!reading) throw new Error(`Cell ${cell.id} was not read before it was looked at.`);
    return reading;
  }

  function formOf(
    notebook: Notebook,
    cell: Cell,
    dagCell: DagCell,
    from: readonly unknown[],
    diagnostics: readonly Diagnostic[],
    worker: string,
  ): Known {
    const reading = { ...read(cell), dagCell };
    const shape = {
      ...cellShape(notebook, cell, reading, dag, diagnostics, defaultTimeout),
      chosen: chosen(cell.id),
    };
    const environment =
      languages[cell.language].environment?.(notebook, shape.directives, shape.env) ??
      hashEnvironment(environmentHash(), worker, relevantEnv(cell, shape));
    return {
      from,
      shape,
      facts: cellFacts(cell, reading, shape, { environment, asksOutside: asksOutside(notebook, cell) }),
    };
  }

  return async (notebook) => {
    await readNew(notebook);
    const { cells, variantGroups: selections } = notebook;
    if (selections !== dag.selections) dag = updateDag(dag, { kind: 'selections', selections }).dag;
    const used = moduleUse(cells.map(read));
    const dagCells = lateNames(cells.map((cell, place) => codeOf(read(cell), used[place])));
    dag = updateDag(dag, { kind: 'cells', cells: dagCells }).dag;
    const { wirings, downstream, roles } = dag.state;
    const diagnostics = diagnosticsOf(notebook, dag, read, workers);
    around = sameParts(around, [
      dag.error,
      notebook.env,
      notebook.fetched,
      notebook.timeout,
      notebook.ai,
      notebook.mounts,
      notebook.connections,
      environmentHash(),
    ]);
    const facts = new Map<string, CellFacts>();
    const shapes = new Map<string, CellShape>();
    const loops = new Map<string, LoopAnnotation>();
    const before = known;
    known = new Map();
    for (const [place, cell] of cells.entries()) {
      const { id } = cell;
      const dagCell = dagCells[place] ?? read(cell).dagCell;
      const own = diagnostics.get(id) ?? none;
      const { annotations } = read(cell);
      const worker = can(cell.language, 'run elsewhere')
        ? workers.identity(notebook, resolveWorker(annotations, cell, notebook).value)
        : 'local:local';
      const from = [cell, dagCell, wirings.get(id), downstream.get(id), roles.get(id), own, worker, chosen(id), around];
      const last = before.get(id);
      const form =
        last && sameParts(last.from, from) === last.from ? last : formOf(notebook, cell, dagCell, from, own, worker);
      known.set(id, form);
      facts.set(id, form.facts);
      shapes.set(id, form.shape);
      if (annotations.loop !== null) loops.set(id, annotations.loop);
    }
    wires = wiresOf(dag, wires, loops);
    return {
      facts,
      cells: shapes,
      graph: graphOf(dag, wires),
      dag: dagBody(dag),
      variantGroups: dag.variantGroups.map(variantGroupBody),
      variants: dag.variantGroups,
    };
  };
}

const none: readonly Diagnostic[] = [];

/** The list from before, if its parts are still the same. */
function sameParts(before: readonly unknown[], now: readonly unknown[]): readonly unknown[] {
  if (before.length !== now.length) return now;
  for (let place = 0; place < now.length; place += 1) if (before[place] !== now[place]) return now;
  return before;
}

/** Cells look at each other, so all are diagnosed together; a notebook that gives no occasion is not looked at. */
function diagnosticsOf(
  notebook: Notebook,
  dag: Dag,
  read: (cell: Cell) => Reading,
  workers: ShapeParts['workers'],
): ReadonlyMap<string, readonly Diagnostic[]> {
  const occasion = notebook.problems.length > 0 || notebook.cells.some((cell) => mayBeDiagnosed(cell, read(cell)));
  if (!occasion) return new Map();
  const found = diagnose(notebook, new Map(notebook.cells.map((cell) => [cell.id, diagnosisFacts(cell, read(cell))])), {
    dag,
    workers: workers.names(notebook),
    ignoresNotebookWorkers: !workers.areOwnUsed,
    sqlDrivers: new Set(knownDrivers),
  });
  return new Map([...found].filter(([, list]) => list.length > 0));
}

const mayBeDiagnosed = ({ language, source }: Cell, { meaning: { python } }: Reading): boolean =>
  language !== 'python' ||
  /^\s*#/.test(source) ||
  (python?.module?.lambdas.length ?? 0) > 0 ||
  (python?.module?.exports.length ?? 0) > 0;

function readingOf(cell: Cell, meaning: Meaning): Reading {
  const annotations = parseAnnotations(kindOf(cell.language) === 'text' ? '' : cell.source);
  const dagCell = graphNames(cell.id, meaning.names, annotations, meaning.untilReferences);
  const code = (meaning.python?.module?.exports ?? [])
    .filter(({ kind }) => kind !== 'constant')
    .map(({ name, kind, needs, fills }) => ({ name, isClass: kind === 'class', needs, fills }));
  return { annotations, meaning, dagCell, modules: meaning.python?.modules ?? [], code };
}

const codeOf = ({ dagCell, code, meaning }: Reading, used: DagCell | undefined): CodeOfCell => ({
  dagCell: used ?? dagCell,
  code,
  handed: meaning.python?.handedReads ?? [],
});

function diagnosisFacts(cell: Cell, { meaning: { names, python, widget, sql, untilError } }: Reading) {
  const { defines } = names;
  if (widget) return { defines, widget };
  if (sql) return { defines, sql };
  if (!python) return { defines };
  return { defines, importedNames: importedNames(cell.source), module: python.module, untilError: untilError ?? null };
}

function cellShape(
  notebook: Notebook,
  cell: Cell,
  reading: Reading,
  dag: Dag,
  diagnostics: CellShape['diagnostics'],
  defaultTimeout: number | undefined,
): Omit<CellShape, 'chosen'> {
  const { annotations, dagCell, meaning } = reading;
  const facts = meaning.python?.module ?? null;
  const injectable = injectableNames(dag, dagCell);
  const consumed = [...consumedVariables(dag, cell.id).keys()];
  const timeout = resolveTimeout(annotations, cell, notebook, defaultTimeout);
  const { isModuleCell, moduleExports } = moduleCell(facts, injectable, dagCell.late);
  return {
    defines: dagCell.defines,
    references: dagCell.references,
    mutationDefines: dagCell.mutationDefines,
    builtinReferences: dagCell.builtinReferences,
    upstreamIds: upstreamIds(dag, cell.id),
    downstreamIds: downstreamIds(dag, cell.id),
    isLeaf: isLeaf(dag, cell.id),
    diagnostics,
    shadowWarnings: shadowWarnings(dag, cell.id),
    variantGroup: annotations.variant?.group ?? null,
    variantName: annotations.variant?.name ?? null,
    variantActive: isActiveVariant(dag, cell.id),
    isBroken: meaning.isBroken ?? (meaning.python?.error ?? meaning.sql?.parseError ?? null) !== null,
    isModuleCell,
    moduleExports: moduleExports ?? [],
    consumed,
    exports: planExports(facts, consumed, injectable, dagCell.late),
    travelling: planExports(facts, facts?.exports.map(({ name }) => name) ?? [], injectable, dagCell.late),
    widget: meaning.widget ?? null,
    bodyDigest: meaning.digest,
    fanout: sweepsOf(dag, cell.id).fanout?.group ?? null,
    annotations: annotationRecord(annotations),
    directives: annotations,
    nocache: annotations.nocache,
    writesMount: resolveMounts(annotations, cell, notebook).some(
      ({ name, mode }) => mode === 'rw' && cell.source.includes(name),
    ),
    timeout: {
      seconds: timeout.value,
      lever: timeout.from === 'default' ? `the default timeout of ${timeout.value} seconds` : levers[timeout.from],
    },
    env: resolveEnv(annotations, cell, notebook),
    ownEnv: [...Object.keys(cell.env), ...Object.keys(annotations.env)],
  };
}

function cellFacts(
  cell: Cell,
  { annotations, meaning }: Reading,
  shape: CellShape,
  around: { readonly environment: string; readonly asksOutside: string | null },
): CellFacts {
  // What travelling code is given of its own cell's values must be kept with it.
  const lent = shape.exports.injected.filter((name) => shape.defines.includes(name));
  const written = annotations.writeTables.map(({ variable }) => variable);
  return {
    id: cell.id,
    language: cell.language,
    name: annotations.name ?? shape.defines[0] ?? cell.id,
    sourceDigest: sourceHash(digestOf(meaning, shape.chosen), annotations),
    environmentHash: around.environment,
    // Where the variables are all there is of a result, whoever begins to read one finds it.
    consumed: [
      ...new Set([
        ...(kindOf(cell.language) === 'code' ? shape.consumed : shape.defines),
        ...lent,
        ...annotations.outputDirs,
        ...written,
      ]),
    ].sort(),
    neverCached: shape.nocache || shape.writesMount,
    asksOutside: around.asksOutside,
  };
}

/** What is chosen on its controls is part of what a widget cell says. */
const digestOf = ({ digest, widget }: Meaning, chosen: WidgetValues): string =>
  widget
    ? createHash('sha256')
        .update(`${digest}\0${JSON.stringify(effective(widget, chosen))}`)
        .digest('hex')
    : digest;

const graphOf = (dag: Dag, wires: ReadonlyMap<string, readonly Wire[]>): Graph => ({
  order: dag.topologicalOrder,
  wires,
  downstream: dag.state.downstream,
});

/** What the cell sets itself, and what of the notebook's it may read: a name that its text mentions. */
function relevantEnv(cell: Cell, { env, ownEnv }: CellShape): [string, string][] {
  return Object.entries(env)
    .filter(([name]) => ownEnv.includes(name) || cell.source.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function hashEnvironment(base: string, worker: string, env: readonly [string, string][]): string {
  const hash = createHash('sha256').update(`${base}\0runtime=${worker}`);
  for (const [name, value] of env) hash.update(`\0${name}=${value}`);
  return hash.digest('hex');
}
