// Functions and classes that other cells read travel as source: the producing cell's declarations are executed again by
// the reader. Which of them can, what must be handed in with them, and why the others cannot, is planned here.
import type { ModuleFacts } from '../../engine/index.ts';
import type { Dag, DagCell } from './types.ts';
import { inputsOf } from './views.ts';

export type ModuleExport = Pick<ModuleFacts['exports'][number], 'name' | 'kind'>;

export interface ExportPlan {
  /** Read by others and able to travel, sorted by name. Empty when only constants are read: those stay plain values. */
  readonly exports: readonly ModuleExport[];
  /** Values that the module code reads and that are handed in with it, sorted. */
  readonly injected: readonly string[];
  /** What the code needs and whoever reads it has to bring, sorted. */
  readonly late: readonly string[];
  /** Names that others read and that cannot travel; with any of these the cell's run fails. */
  readonly blocked: readonly string[];
  readonly reasons: readonly string[];
}

const nothing: ExportPlan = { exports: [], injected: [], late: [], blocked: [], reasons: [] };

/** `consumed`: names of the cell that others read. `injectable`: see `injectableNames`. `late`: those of the cell. */
export function planExports(
  facts: ModuleFacts | null,
  consumed: Iterable<string>,
  injectable: ReadonlySet<string>,
  late: readonly string[] = [],
): ExportPlan {
  if (facts === null) return nothing;
  const read = new Set(consumed);
  const lambdas = facts.lambdas.filter((name) => read.has(name));
  const wanted = facts.exports.filter(({ name }) => read.has(name));
  if (lambdas.length === 0 && !wanted.some(isCode)) return nothing;

  const general = generalReasons(facts, injectable);
  const reasons = [...(wanted.length > 0 ? general : []), ...lambdas.map(lambdaReason)];
  const blocked = [...lambdas];
  const exports: ModuleExport[] = [];
  const injected = new Set<string>();
  const brought = new Set<string>();
  const provided = new Set([...injectable, ...late]);
  for (const symbol of wanted) {
    const own = symbolReasons(symbol, facts, provided);
    reasons.push(...own);
    if (own.length > 0 || general.length > 0) {
      blocked.push(symbol.name);
    } else {
      exports.push({ name: symbol.name, kind: symbol.kind });
      for (const need of [...symbol.needs, ...facts.loadNeeds]) {
        const isBrought = !injectable.has(need) || symbol.fills.includes(need);
        (isBrought ? brought : injected).add(need);
      }
      for (const name of symbol.fills) brought.add(name);
    }
  }
  return { exports, injected: [...injected].sort(), late: [...brought].sort(), blocked: blocked.sort(), reasons };
}

export interface ModuleCell {
  readonly isModuleCell: boolean;
  readonly moduleExports: readonly ModuleExport[] | null;
}

/** Whether the cell is declarations and nothing else, with at least one function or class, all able to travel. */
export function moduleCell(
  facts: ModuleFacts | null,
  injectable: ReadonlySet<string>,
  late: readonly string[] = [],
): ModuleCell {
  const provided = new Set([...injectable, ...late]);
  const isModuleCell =
    facts?.complete === true &&
    facts.lambdas.length === 0 &&
    facts.exports.some(isCode) &&
    generalReasons(facts, injectable).length === 0 &&
    facts.exports.every((symbol) => symbolReasons(symbol, facts, provided).length === 0);
  return {
    isModuleCell,
    moduleExports: isModuleCell ? facts.exports.map(({ name, kind }) => ({ name, kind })) : null,
  };
}

/** What a cell's module code may be given: its own values, and variables that exactly one other cell makes. */
export function injectableNames(dag: Dag, cell: DagCell): ReadonlySet<string> {
  const own = inputsOf(dag, cell.id).filter(({ from, variable }) => variable !== '' && !isManyValued(dag, from));
  return new Set([...cell.defines, ...own.map(({ variable }) => variable)]);
}

/** A swept member's value, or one made once per variant, reaches readers as a dictionary of all. */
function isManyValued({ state }: Dag, cellId: string): boolean {
  return (state.roles.get(cellId)?.sweep ?? state.wirings.get(cellId)?.fanout ?? null) !== null;
}

const isCode = ({ kind }: ModuleExport): boolean => kind !== 'constant';

const lambdaReason = (name: string): string =>
  `'${name}' is a lambda, which has no source of its own: write it as a def`;

function generalReasons(facts: ModuleFacts, injectable: ReadonlySet<string>): string[] {
  const missing = missingOf(facts.loadNeeds, facts, injectable);
  return [
    ...(facts.starImport ? ["'from … import *' hides where names come from: import them by name"] : []),
    ...(missing.length > 0 ? [`the declarations need ${list(missing)}, which no single cell above makes`] : []),
  ];
}

function symbolReasons(
  symbol: ModuleFacts['exports'][number],
  facts: ModuleFacts,
  injectable: ReadonlySet<string>,
): string[] {
  const missing = missingOf(symbol.needs, facts, injectable);
  return [
    ...(symbol.changed ? [`'${symbol.name}' is changed by a statement that is not a declaration`] : []),
    ...(missing.length > 0 ? [`'${symbol.name}' needs ${list(missing)}, which no single cell above makes`] : []),
  ];
}

/** A lambda of the same cell is a value of it, but not one that can be handed in. */
function missingOf(needs: readonly string[], { lambdas }: ModuleFacts, injectable: ReadonlySet<string>): string[] {
  return needs.filter((name) => lambdas.includes(name) || !injectable.has(name));
}

const list = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(', ');
