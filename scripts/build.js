// Makes `dist`, the programs as they are shipped and started: each in a few files with the packages they always use,
// instead of the thousand that Node would look for, read and strip of types at every start. That halves the start, and
// saves an idle server 17 MiB. Names and lines stay readable, since they appear in stack traces.
import fs from 'node:fs';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { ownSbom } from './sbom.js';
import { build as folder, root } from './setup/places.js';

/** Loaded by few servers, or with files of their own: these stay where they were installed. */
const external = [
  /^@(aws-sdk|azure|google-cloud|opentelemetry|modelcontextprotocol)\//,
  /^(pg|swagger-ui-dist|ink|react)(\/|$)/,
  // What the framework would load for schemas and tests, if it were let.
  /^(@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|light-my-request)$/,
  // The setup is plain JavaScript that knows where it lies.
  /\/scripts\/setup\//,
];

const keptMilliseconds = 7 * 24 * 3_600_000;

const entries = {
  svc: 'src/cli/main.ts',
  'svc-notebook': 'src/cli/serverMain.ts',
  'svc-notebook-tui': 'src/cli/viewerMain.ts',
  'svc-worker': 'src/worker/main.ts',
  'database/sqliteWorker': 'src/database/sqliteWorker.ts',
  'artifacts/collect/planWorker': 'src/artifacts/collect/planWorker.ts',
  'artifacts/hashThread': 'src/artifacts/hashThread.ts',
  'runtimes/prompt/schemaThread': 'src/runtimes/prompt/schemaThread.ts',
  'runtimes/javascript/harness': 'src/runtimes/javascript/harness.ts',
  'notebook/exchange/markdownThread': 'src/notebook/exchange/markdownThread.ts',
  'notebook/exchange/vegaThread': 'src/notebook/exchange/vegaThread.ts',
};

const bundle = await rolldown({
  input: Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, path.join(root, file)])),
  platform: 'node',
  external,
  logLevel: 'warn',
  // A module of ours does nothing by being loaded: what nobody uses of a room is left out, or to those who use it.
  treeshake: { moduleSideEffects: [{ test: /\/src\//, sideEffects: false }] },
  plugins: [deferred(['https', 'http2', 'tls'])],
});
const { output } = await bundle.generate({
  dir: folder,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'parts/[name]-[hash].js',
  comments: false,
});
// Parts first, programs last; parts that a running server may still come to load stay for a while.
for (const file of output.toSorted((one, other) => Number(isEntry(one)) - Number(isEntry(other)))) {
  if (file.type === 'chunk') replaceFile(path.join(folder, file.fileName), inAscii(withoutFacades(file.code)));
}
replaceFile(path.join(folder, 'sbom.cdx.json'), `${JSON.stringify(ownSbom(), null, 2)}\n`);
removeOldParts(new Set(output.map(({ fileName }) => path.basename(fileName))));

/** @param {import('rolldown').OutputChunk | import('rolldown').OutputAsset} file */
function isEntry(file) {
  return file.type === 'chunk' && file.isEntry;
}

/** @param {string} file @param {string} text */
function replaceFile(file, text) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(`${file}.new`, text);
  fs.renameSync(`${file}.new`, file);
}

/** @param {ReadonlySet<string>} current */
function removeOldParts(current) {
  const parts = path.join(folder, 'parts');
  for (const name of fs.readdirSync(parts)) {
    const file = path.join(parts, name);
    if (!current.has(name) && Date.now() - fs.statSync(file).mtimeMs > keptMilliseconds) fs.rmSync(file);
  }
}

/**
 * The framework and the sockets name these modules of Node in passing; they are loaded when something of them is used,
 * which spares a server without TLS of its own 10 MiB.
 * @param {readonly string[]} names
 * @returns {import('rolldown').Plugin}
 */
function deferred(names) {
  const prefix = '\0deferred:';
  return {
    name: 'deferred',
    resolveId(id) {
      const name = id.replace(/^node:/, '');
      return names.includes(name) ? `${prefix}${name}` : null;
    },
    load(id) {
      if (!id.startsWith(prefix)) return null;
      const module = JSON.stringify(id.slice(prefix.length));
      return `module.exports = new Proxy({}, { get: (_, name) => process.getBuiltinModule(${module})[name] });`;
    },
  };
}

/**
 * Importing a module of Node reads each of its exports, also those that are made when first read: that of `node:http`
 * brings all of fetch, 16 MiB. Taken as what they are, they bring what is used.
 * @param {string} code
 */
function withoutFacades(code) {
  return code.replace(
    /^import (?:([\w$]+)|\* as ([\w$]+)|(?:([\w$]+), )?(\{.+\})) from "(node:[^"]+)";$/gm,
    (_, whole, namespace, both, names, module) =>
      [whole, namespace, both, names?.replaceAll(' as ', ': ')]
        .filter((binding) => binding !== undefined)
        .map((binding) => `const ${binding} = globalThis.process.getBuiltinModule("${module}");`)
        .join('\n'),
  );
}

/** V8 keeps a source that holds one character beyond Latin-1 at two bytes for each. @param {string} code */
function inAscii(code) {
  return code.replace(/[^\0-\x7f]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
