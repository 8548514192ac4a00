// `npm run audit`: known flaws in the packages that the server, its page and its engine are made of, as `npm audit` and `pip-audit` know them. `audit-exceptions.json` beside it
// lists those that are accepted: `id`, `package`, `reason`, and `until`, the day on which it is looked at again. Where nobody can be asked
// (no network, a registry without audits) that is said, and nothing is red.
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { engineRequirements, root } from './setup/places.js';
import { findUv } from './setup/uv.js';

/**
 * @typedef {{ id: string, package: string, version: string, title: string }} Flaw
 * @typedef {{ id: string, package: string, reason: string, until: string }} Exception
 */

/** What `npm audit --json` said; undefined when it could not ask. @param {string} output @returns {Flaw[] | undefined} */
export function npmFlaws(output) {
  const { vulnerabilities } = parsed(output) ?? {};
  if (vulnerabilities === undefined) return undefined;
  return Object.values(vulnerabilities).flatMap(({ name, range, via }) =>
    // Those that only come through another package are told with that one.
    via
      .filter((/** @type {unknown} */ one) => typeof one === 'object')
      .map((/** @type {{ url: string, title: string }} */ { url, title }) => ({
        id: url.slice(url.lastIndexOf('/') + 1),
        package: name,
        version: range,
        title,
      })),
  );
}

/** What `pip-audit --format json` said; undefined when it could not ask. @param {string} output @returns {Flaw[] | undefined} */
export function pipFlaws(output) {
  const { dependencies } = parsed(output) ?? {};
  if (dependencies === undefined) return undefined;
  return dependencies.flatMap(
    (/** @type {{ name: string, version: string, vulns?: any[] }} */ { name, version, vulns = [] }) =>
      vulns.map(({ id, aliases = [], description = '' }) => ({
        id: aliases.find((/** @type {string} */ one) => one.startsWith('GHSA-')) ?? id,
        package: name,
        version,
        title: description.split('\n')[0].slice(0, 120),
      })),
  );
}

/** What to say of them, and whether all is well. @param {Flaw[]} flaws @param {Exception[]} exceptions @param {string} today */
export function judged(flaws, exceptions, today) {
  const lines = flaws.map((flaw) => {
    const accepted = exceptions.find(({ id, package: name }) => id === flaw.id && name === flaw.package);
    const what = `${flaw.id} in ${flaw.package} ${flaw.version}: ${flaw.title}`;
    if (!accepted) return { isWell: false, text: `✗ ${what}` };
    if (accepted.until < today)
      return {
        isWell: false,
        text: `✗ ${what}. Accepted until ${accepted.until} (${accepted.reason}); look at it again`,
      };
    return { isWell: true, text: `· ${what}. Accepted until ${accepted.until}: ${accepted.reason}` };
  });
  const unused = exceptions.filter(
    ({ id, package: name }) => !flaws.some((flaw) => flaw.id === id && flaw.package === name),
  );
  return {
    isWell: lines.every(({ isWell }) => isWell),
    lines: [
      ...lines.map(({ text }) => text),
      ...unused.map(({ id, package: name }) => `· the exception for ${id} in ${name} is no longer needed`),
    ],
  };
}

/** @param {string} output */
function parsed(output) {
  try {
    return JSON.parse(output);
  } catch {
    return undefined;
  }
}

/** @param {string} command @param {string[]} args */
function outputOf(command, args) {
  return spawnSync(command, args, { cwd: root, encoding: 'utf8', timeout: 120_000, maxBuffer: 1 << 28 }).stdout ?? '';
}

function main() {
  const locked = path.join(root, 'scripts/audit-requirements.txt');
  const pipAudit = ['run', '--no-project', '--isolated', '--with-requirements', locked, 'pip-audit'];
  const asked = {
    'npm audit': npmFlaws(outputOf('npm', ['audit', '--json'])),
    'pip-audit': pipFlaws(
      outputOf(findUv() ?? 'uv', [
        ...pipAudit,
        '--format',
        'json',
        '--disable-pip',
        '--require-hashes',
        '-r',
        engineRequirements,
      ]),
    ),
  };
  for (const [name, flaws] of Object.entries(asked))
    process.stdout.write(`${flaws ? `✓ ${name} was asked` : `· ${name}: nobody could be asked from this machine`}\n`);
  const flaws = new Map(
    Object.values(asked)
      .flatMap((found) => found ?? [])
      .map((flaw) => [`${flaw.id} ${flaw.package}`, flaw]),
  );
  /** @type {Exception[]} */
  const exceptions = JSON.parse(fs.readFileSync(path.join(root, 'scripts/audit-exceptions.json'), 'utf8'));
  const { isWell, lines } = judged([...flaws.values()], exceptions, new Date().toISOString().slice(0, 10));
  for (const line of lines) process.stdout.write(`${line}\n`);
  if (!isWell) process.exitCode = 1;
}

if (import.meta.filename === process.argv[1]) main();
