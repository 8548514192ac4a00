// Checks of Python and R cells: what they export, where they run, what they mount and read, and their loop.
import { appHintProblem } from '../../../appLayout.ts';
import { can } from '../../../cellLanguages.ts';
import { consumedVariables, findCell, injectableNames, planExports } from '../../dag/index.ts';
import { lineOf } from '../block.ts';
import { parseEnv } from '../inputs.ts';
import { parseTimeout } from '../parse.ts';
import { localWorker, resolveWorker } from '../precedence.ts';
import { parseResources, parseRetry } from '../resources.ts';
import { type Check, type Diagnostic, found } from './types.ts';

const mountSchemes = ['file', 's3', 'gs', 'gcs', 'az', 'azure'];

export const checkModuleExport: Check = ({ cell, facts: { module }, context: { dag } }) => {
  const dagCell = module ? findCell(dag, cell.id) : undefined;
  if (!module || dagCell === undefined) return [];
  const consumed = consumedVariables(dag, cell.id).keys();
  const { blocked, reasons } = planExports(module, consumed, injectableNames(dag, dagCell), dagCell.late);
  if (blocked.length === 0) return [];
  const message = `Other cells read ${blocked.join(', ')}, which cannot be shared: ${reasons.join('; ')}`;
  return [found('warn', 'module_export_blocked', message)];
};

export const checkWorker: Check = ({ annotations: { worker }, block, notebook, context }) => {
  if (worker === null || worker === 'local' || context.workers.has(worker)) return [];
  const isIgnored = context.ignoresNotebookWorkers && notebook.workers.some(({ name }) => name === worker);
  const message = isIgnored
    ? `Worker '${worker}' is defined in the notebook file, but this server uses only its own workers`
    : `There is no worker '${worker}'; define it under [[workers]] or choose another`;
  return [found('warn', 'worker_unknown', message, lineOf(block, 'worker'))];
};

export const checkMountLines: Check = ({ annotations, block, notebook }) =>
  annotations.mounts.flatMap(({ name, uri }) => {
    const line = lineOf(block, 'mount', name);
    const scheme = /^([^:]*):\/\//.exec(uri)?.[1]?.toLowerCase();
    const isSupported = scheme !== undefined && mountSchemes.includes(scheme);
    const isShadowing = notebook.mounts.some((mount) => mount.name === name);
    return [
      ...(isSupported
        ? []
        : [
            found(
              'warn',
              'mount_uri_unsupported',
              `'${uri}' must begin with one of ${mountSchemes.join(', ')} and ://`,
              line,
            ),
          ]),
      ...(isShadowing
        ? [
            found(
              'info',
              'mount_shadows_notebook',
              `Mount '${name}' takes the place of the notebook's mount of that name`,
              line,
            ),
          ]
        : []),
    ];
  });

export const checkTables: Check = ({ annotations: { tables }, block, facts }) =>
  tables.flatMap(({ name, uri }, place) => {
    const line = lineOf(block, 'table', name);
    const diagnostics: Diagnostic[] = [];
    if (!hasTableName(uri)) {
      diagnostics.push(
        found('warn', 'table_uri_malformed', `'${uri}' names no table; write <namespace>.<table>`, line),
      );
    }
    if (facts.defines?.includes(name)) {
      diagnostics.push(
        found('warn', 'table_shadows_define', `The cell also defines '${name}', which hides the table`, line),
      );
    }
    if (tables.slice(0, place).some((table) => table.name === name)) {
      diagnostics.push(found('error', 'table_duplicate_name', `Two tables are named '${name}'`, line));
    }
    return diagnostics;
  });

/** `<namespace>.<table>` after a warehouse's `#` or a catalog's `:`. */
function hasTableName(uri: string): boolean {
  const name = uri.includes('#') ? uri.slice(uri.lastIndexOf('#') + 1) : uri.replace(/^[^:/]+:(?!\/\/)/, '');
  return /^[^./]+(?:\.[^./]+)+$/.test(name);
}

export const checkTimeoutAndEnv: Check = ({ block }) =>
  block.directives.flatMap(({ name, value, line }) => {
    if (name === 'timeout' && parseTimeout(value) === null) {
      return [
        found('warn', 'timeout_not_numeric', '@timeout takes a number of seconds above zero; it is ignored', line),
      ];
    }
    if (name === 'env' && parseEnv(value) === null) {
      return [found('warn', 'env_malformed', '@env takes NAME=value; it is ignored', line)];
    }
    return [];
  });

export const checkApp: Check = ({ block }) =>
  block.directives.flatMap(({ name, value, line }) => {
    const problem = name === 'app' ? appHintProblem(value) : null;
    return problem === null ? [] : [found('warn', 'app_malformed', `@app is ignored: ${problem}`, line)];
  });

/** A run on this machine gives a cell what the machine has. */
export const checkResources: Check = ({ cell, annotations, block, notebook }) => {
  const unreadable = block.directives.flatMap(({ name, value, line }) => {
    if (name === 'resources' && parseResources(value) === null) {
      const message = '@resources takes cpus=4 memory=8GB gpus=1 time=2h, or some of them; it is ignored';
      return [found('warn', 'resources_malformed', message, line)];
    }
    if (name === 'retry' && parseRetry(value) === null) {
      return [found('warn', 'retry_malformed', '@retry takes a whole number from 1; it is ignored', line)];
    }
    return [];
  });
  const isHere = resolveWorker(annotations, cell, notebook).value === localWorker;
  if (annotations.resources === null || !isHere) return unreadable;
  const message =
    'Only a cluster gives resources (@worker with an svc dispatch); this cell runs here, with all there is';
  return [...unreadable, found('info', 'resources_ignored', message, lineOf(block, 'resources'))];
};

export const checkLoop: Check = ({ cell, annotations: { loop }, block, facts, others }) => {
  if (loop === null) return [];
  const line = lineOf(block, 'loop');
  const diagnostics: Diagnostic[] = [];
  if (!can(cell.language, 'loop')) {
    diagnostics.push(found('error', 'loop_language_unsupported', 'Only Python cells can loop', line));
  }
  if (loop.maxIter <= 0) {
    diagnostics.push(found('error', 'loop_missing_max_iter', 'A loop needs max_iter=<number above zero>', line));
  }
  const defines = facts.defines ?? [];
  if (loop.carry === '') {
    diagnostics.push(found('error', 'loop_missing_carry', 'A loop needs carry=<variable>', line));
  } else if (defines.length > 0 && !defines.includes(loop.carry)) {
    const message = `The cell does not define '${loop.carry}', so the loop has nothing to carry`;
    diagnostics.push(found('warn', 'loop_carry_unknown', message, line));
  }
  if ((facts.untilError ?? null) !== null) {
    const untilLine = lineOf(block, 'loop_until') ?? line;
    const message = `The stop condition is not a Python expression: ${facts.untilError}`;
    diagnostics.push(found('error', 'loop_until_syntax_error', message, untilLine));
  }
  const from = loop.startFromCell;
  if (from !== null && (from === cell.id || !others.has(from))) {
    const message = from === cell.id ? 'A loop cannot start from itself' : `There is no cell '${from}' to start from`;
    diagnostics.push(found('error', 'loop_start_from_unknown', message, line));
  }
  return diagnostics;
};
