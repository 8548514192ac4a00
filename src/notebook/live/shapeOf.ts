// Looks at a notebook: analyses its cells, wires them, and settles what each would run with.
import { createHash } from 'node:crypto';
import type { Analysis, PythonAnalysis } from '../../engine/index.ts';
import type { Cell, Notebook } from '../document/index.ts';
import type { CellFacts, Graph, Wire } from '../session/index.ts';
import type { CellShape, Shape } from './shape.ts';

const defaultTimeoutSeconds = 300;

export interface ShapeParts {
  readonly analysis: Analysis;
  /** The hash of the environment that cells run in. */
  readonly environmentHash: () => string;
}

export async function shapeOf({ analysis, environmentHash }: ShapeParts, notebook: Notebook): Promise<Shape> {
  const pythons = notebook.cells.filter(({ language }) => language === 'python');
  const answers = await analysis.analyseMany(pythons.map(({ source }) => source));
  const analyses = new Map(pythons.map(({ id }, index) => [id, answers[index]]));
  const graph = wire(notebook.cells, analyses);
  const consumed = consumedNames(graph);
  const facts = new Map<string, CellFacts>();
  const cells = new Map<string, CellShape>();
  for (const cell of notebook.cells) {
    const found = analyses.get(cell.id);
    const env = { ...notebook.env, ...cell.env };
    facts.set(cell.id, {
      id: cell.id,
      language: cell.language,
      name: found?.defines[0] ?? cell.id,
      sourceDigest: found?.sourceDigest ?? createHash('sha256').update(cell.source).digest('hex'),
      environmentHash: hashEnvironment(environmentHash(), relevantEnv(cell, env)),
      consumed: consumed.get(cell.id) ?? [],
      neverCached: false,
    });
    cells.set(cell.id, {
      defines: found?.defines ?? [],
      references: found?.references ?? [],
      mutationDefines: found?.mutationDefines ?? [],
      builtinReferences: found?.builtinReferences ?? [],
      upstreamIds: [...new Set((graph.wires.get(cell.id) ?? []).map(({ from }) => from))],
      downstreamIds: graph.downstream.get(cell.id) ?? [],
      isLeaf: (graph.downstream.get(cell.id) ?? []).length === 0,
      diagnostics: [],
      shadowWarnings: [],
      variantGroup: null,
      variantName: null,
      variantActive: true,
      isModuleCell: false,
      moduleExports: [],
      annotations: {
        name: null,
        worker: null,
        timeout: null,
        env: {},
        mounts: [],
        tables: [],
        loop: null,
        variant: null,
      },
      timeout: timeoutOf(notebook, cell),
      env,
    });
  }
  const ids = notebook.cells.map(({ id }) => id);
  return {
    facts,
    graph,
    cells,
    variantGroups: [],
    dag: {
      edges: ids.flatMap((to) =>
        (graph.wires.get(to) ?? []).map(({ from, variable }) => ({ from_cell_id: from, to_cell_id: to, variable })),
      ),
      roots: ids.filter((id) => (graph.wires.get(id) ?? []).length === 0),
      leaves: ids.filter((id) => (graph.downstream.get(id) ?? []).length === 0),
      topological_order: [...graph.order],
    },
  };
}

/** Each name comes from the last cell above that defines it. */
function wire(cells: readonly Cell[], analyses: ReadonlyMap<string, PythonAnalysis | undefined>): Graph {
  const producers = new Map<string, string>();
  const wires = new Map<string, Wire[]>();
  const downstream = new Map<string, string[]>();
  for (const { id } of cells) {
    const found = analyses.get(id);
    const own = (found?.references ?? []).flatMap((variable) => {
      const from = producers.get(variable);
      return from === undefined ? [] : [{ from, variable }];
    });
    wires.set(id, own);
    for (const from of new Set(own.map((one) => one.from))) downstream.set(from, [...(downstream.get(from) ?? []), id]);
    for (const name of [...(found?.defines ?? []), ...(found?.mutationDefines ?? [])]) producers.set(name, id);
  }
  return { order: cells.map(({ id }) => id), wires, downstream };
}

function consumedNames(graph: Graph): Map<string, string[]> {
  const names = new Map<string, Set<string>>();
  for (const wires of graph.wires.values()) {
    for (const { from, variable } of wires) names.set(from, (names.get(from) ?? new Set()).add(variable));
  }
  return new Map([...names].map(([id, set]) => [id, [...set].sort()]));
}

/** What the cell sets itself, and what of the notebook's it may read: a name that its text mentions. */
function relevantEnv(cell: Cell, env: Readonly<Record<string, string>>): [string, string][] {
  return Object.entries(env)
    .filter(([name]) => Object.hasOwn(cell.env, name) || cell.source.includes(name))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function hashEnvironment(base: string, env: readonly [string, string][]): string {
  const hash = createHash('sha256').update(`${base}\0runtime=local:local`);
  for (const [name, value] of env) hash.update(`\0${name}=${value}`);
  return hash.digest('hex');
}

function timeoutOf(notebook: Notebook, cell: Cell): CellShape['timeout'] {
  if (cell.timeout !== null) return { seconds: cell.timeout, lever: "the cell's timeout" };
  if (notebook.timeout !== null) return { seconds: notebook.timeout, lever: "the notebook's timeout" };
  return { seconds: defaultTimeoutSeconds, lever: 'the default timeout' };
}
