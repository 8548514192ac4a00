// The process of one JavaScript cell: inputs in, the cell as a module, values out, one result file. It reads its order from its
// standard input and ends with the cell: what is to be done then, the cell awaits.
import childProcess from 'node:child_process';
import diagnostics from 'node:diagnostics_channel';
import fs from 'node:fs';
import { findPackageJSON, registerHooks, syncBuiltinESMExports } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { inspect } from 'node:util';
import {
  describeValue,
  exactly,
  type InputSpec,
  isTable,
  jsonOf,
  readValue,
  storeValue,
  table,
  typeName,
} from './values.ts';

/** What the server asks for; see `javascriptRuntime.ts`. */
export interface HarnessOrder {
  readonly module: string;
  /** Where the cell's own file lies: what it imports is looked for from there. */
  readonly url: string;
  readonly inputs: Readonly<Record<string, InputSpec>>;
  readonly env: Readonly<Record<string, string>>;
  readonly wanted: readonly string[];
  readonly stores_all: boolean;
  readonly work_dir: string;
  readonly output_dir: string;
  readonly shown_key: string;
}

const order: HarnessOrder = JSON.parse(fs.readFileSync(0, 'utf8'));
const { exit } = process;
/** Given back for the result: a cell may have as many files open as it may. */
const reserved = fs.openSync(order.output_dir, 'r');
const displays: object[] = [];
const hosts = new Set<string>();
const programs = new Set<string>();
const files = new Set<string>();

function say(result: object): never {
  fs.closeSync(reserved);
  const part = path.join(order.output_dir, 'result.part');
  fs.writeFileSync(part, JSON.stringify(result, exactly));
  fs.renameSync(part, path.join(order.output_dir, 'result.json'));
  return exit(0);
}

function fail(problem: unknown): never {
  const isError = problem instanceof Error;
  return say({
    error: {
      type: isError ? problem.name : typeName(problem),
      message: isError ? problem.message : inspect(problem),
      stack: isError ? (problem.stack ?? '') : '',
    },
    variables: {},
    displays: [],
  });
}

/** The cell itself is given as it came; what it imports is noted: another file there is another result. */
function giveModule(): void {
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier === order.url) return { url: order.url, format: 'module', shortCircuit: true };
      const found = next(specifier, context);
      if (found.url.startsWith('file:')) noteFile(fileURLToPath(found.url));
      return found;
    },
    load: (url, context, next) =>
      url === order.url ? { format: 'module', source: order.module, shortCircuit: true } : next(url, context),
  });
}

/** Of a package what it says of itself, which names its version. */
function noteFile(file: string): void {
  const isPackage = file.includes(`${path.sep}node_modules${path.sep}`);
  files.add((isPackage ? findPackageJSON(pathToFileURL(file)) : undefined) ?? file);
}

function watchOthers(): void {
  diagnostics.subscribe('undici:request:create', (message) => {
    hosts.add(new URL(String(Object(Object(message).request).origin)).hostname);
  });
  diagnostics.subscribe('http.client.request.start', (message) => {
    hosts.add(String(Object(Object(message).request).host));
  });
  diagnostics.subscribe('child_process', (message) => {
    programs.add(path.basename(String(Object(Object(message).process).spawnfile ?? '')));
  });
  // Nobody is told of programs that are waited for.
  const { execFileSync, execSync, spawnSync } = childProcess;
  const noting =
    (call: (...given: never[]) => unknown, isShell = false) =>
    (...given: never[]) => {
      programs.add(isShell ? 'sh' : path.basename(String(given[0])));
      return call(...given);
    };
  Object.assign(childProcess, {
    execFileSync: noting(execFileSync),
    execSync: noting(execSync, true),
    spawnSync: noting(spawnSync),
  });
  syncBuiltinESMExports();
}

/** Puts something below the cell, beside the value of its last line. */
const display = Object.assign(
  (value: unknown): void => {
    const shown = shownValue(value);
    if (shown) displays.push(shown);
  },
  {
    html: (text: string): void => void displays.push({ content_type: 'text/html', inline_text: String(text) }),
    svg: (text: string): void => void displays.push({ content_type: 'image/svg+xml', inline_text: String(text) }),
    markdown: (text: string): void =>
      void displays.push({ content_type: 'text/markdown', markdown_text: String(text) }),
  },
);

function shownValue(value: unknown): object | undefined {
  if (value === undefined) return undefined;
  if (isTable(value)) return storeValue(value, `shown${displays.length}`, order.output_dir);
  const chart = chartType(value);
  if (chart) return { content_type: chart, inline_text: jsonOf(value) };
  return describeValue(value);
}

/** A specification of Vega or Vega-Lite names its schema. */
function chartType(value: unknown): string | undefined {
  const schema = typeof value === 'object' && value !== null && '$schema' in value ? String(value.$schema) : '';
  const [, kind, version] = /\/schema\/(vega|vega-lite)\/v(\d+)/.exec(schema) ?? [];
  return kind === undefined ? undefined : `application/vnd.${kind.replace('-', '')}.v${version}+json`;
}

function variablesOf(module: Readonly<Record<string, unknown>>): Record<string, object> {
  const wanted = new Set(order.wanted);
  const found: Record<string, object> = {};
  for (const [name, value] of Object.entries(module)) {
    if (name === 'default' || (typeof value === 'function' && !wanted.has(name))) continue;
    try {
      const isStored = order.stores_all || wanted.has(name);
      found[name] = isStored ? storeValue(value, name.replace(/\W/g, '_'), order.output_dir) : describeValue(value);
    } catch (problem) {
      const error = problem instanceof Error ? problem.message : String(problem);
      found[name] = { content_type: 'error', error, type: typeName(value) };
    }
  }
  return found;
}

process.on('uncaughtException', fail);
Object.assign(process.env, order.env);
process.chdir(order.work_dir);
try {
  const inputs = Object.entries(order.inputs).map(([name, spec]) => [name, readValue(name, spec)] as const);
  giveModule();
  watchOthers();
  for (const [name, value] of [['display', display], ['table', table], ...inputs] as const)
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true, enumerable: true });
  const module = await import(order.url);
  display(await Object(globalThis)[Symbol.for(order.shown_key)]);
  const observed = { hosts: [...hosts].sort(), programs: [...programs].sort(), files: [...files].sort() };
  say({ error: null, variables: variablesOf(module), displays, observed });
} catch (problem) {
  fail(problem);
}
