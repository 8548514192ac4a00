// What the package is made of, as CycloneDX: the npm packages that are installed with it or built into its page, and those of the
// Python engine, each with its version, licence and digests. Says the same for the same locks, wherever it is made.
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './setup/places.js';

/**
 * @typedef {{ version: string, license?: string, integrity?: string, dev?: boolean, optional?: boolean, devOptional?: boolean,
 *   dependencies?: Record<string, string>, optionalDependencies?: Record<string, string>,
 *   peerDependencies?: Record<string, string>, peerDependenciesMeta?: Record<string, { optional?: boolean }> }} Locked
 * @typedef {{ name: string, version: string, packages: Record<string, Locked> }} Lock
 */

/** @param {{ lock: Lock, page: readonly string[], requirements: string }} parts `page`: packages that it imports */
export function sbomOf({ lock, page, requirements }) {
  const built = closureOf(lock, page);
  const npm = Object.entries(lock.packages)
    .filter(([place, { dev, devOptional }]) => place !== '' && ((!dev && !devOptional) || built.has(place)))
    .map(([place, locked]) => npmComponent(place, locked));
  const components = [...npm, ...pythonComponents(requirements)];
  const unique = [...new Map(components.map((one) => [one['bom-ref'], one])).values()];
  unique.sort((one, other) => (one['bom-ref'] < other['bom-ref'] ? -1 : 1));
  const { name, version } = lock;
  const digest = createHash('sha256').update(JSON.stringify(unique)).digest('hex');
  const uuid = digest.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      component: { 'bom-ref': `pkg:npm/${name}@${version}`, type: 'application', name, version },
    },
    components: unique,
  };
}

/** @param {string} place @param {Locked} locked */
function npmComponent(place, { version, license, integrity, optional }) {
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version,
    purl,
    scope: optional ? 'optional' : 'required',
    ...(license === undefined
      ? {}
      : { licenses: [/ /.test(license) ? { expression: license } : { license: { id: license } }] }),
    ...(integrity === undefined ? {} : { hashes: integrity.split(' ').map(hashOf) }),
  };
}

/** @param {string} integrity */
function hashOf(integrity) {
  const [algorithm = '', digest = ''] = integrity.split(/-(.*)/s);
  return { alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(digest, 'base64').toString('hex') };
}

/** A lock of uv: a requirement, its digests in the lines below. @param {string} requirements */
function pythonComponents(requirements) {
  return [...requirements.matchAll(/^([\w.-]+)==([^\s;\\]+)[^\n]*((?:\n\s+--hash=\S+[^\n]*)*)/gm)].map(
    ([, name = '', version = '', hashes = '']) => ({
      'bom-ref': `pkg:pypi/${name}@${version}`,
      type: 'library',
      name,
      version,
      purl: `pkg:pypi/${name}@${version}`,
      scope: 'required',
      hashes: [...hashes.matchAll(/sha256:(\w+)/g)].map(([, content = '']) => ({ alg: 'SHA-256', content })),
    }),
  );
}

/** The places in the lock of these packages and of all that they need. @param {Lock} lock @param {readonly string[]} names */
function closureOf({ packages }, names) {
  /** @type {Set<string>} */
  const found = new Set();
  /** @type {[from: string, name: string][]} */
  const open = names.map((name) => ['', name]);
  for (let next = open.pop(); next; next = open.pop()) {
    const place = placeOf(packages, ...next);
    const locked = place === undefined ? undefined : packages[place];
    if (place === undefined || !locked || found.has(place)) continue;
    found.add(place);
    const { peerDependencies = {}, peerDependenciesMeta = {} } = locked;
    const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
    for (const name of [...Object.keys({ ...locked.dependencies, ...locked.optionalDependencies }), ...peers])
      open.push([place, name]);
  }
  return found;
}

/** As Node looks for it: beside the one that asks, then further out. @param {Lock['packages']} packages @param {string} from @param {string} name */
function placeOf(packages, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const place = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[place]) return place;
    if (folder === '') return undefined;
    if (!folder.includes('/node_modules/')) folder = '';
  }
}

/** The packages that sources below a folder import. @param {string} folder */
export function importedIn(folder) {
  const files = fs.globSync('**/*.{ts,tsx,css}', { cwd: folder }).filter((file) => !/\.test\.tsx?$/.test(file));
  const names = files.flatMap((file) =>
    [
      ...fs
        .readFileSync(path.join(folder, file), 'utf8')
        .matchAll(/\b(?:from|import|import\()\s*['"]([@\w][^'"\s]*)['"]/g),
    ].map(([, specifier = '']) => /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0] ?? ''),
  );
  return [...new Set(names)].filter((name) => !name.includes(':')).sort();
}

export function ownSbom() {
  const read = (/** @type {string} */ file) => fs.readFileSync(path.join(root, file), 'utf8');
  return sbomOf({
    lock: JSON.parse(read('package-lock.json')),
    page: importedIn(path.join(root, 'web/src')),
    requirements: read('python/svc_engine/requirements.txt'),
  });
}
