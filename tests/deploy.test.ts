// The files that bring a server to other machines say nothing that this version does not know.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';
import { root } from '../scripts/setup/places.js';
import { loadSettings } from '../src/settings/index.ts';
import { needProgram } from './kit/parts.ts';

const read = (name: string): string => fs.readFileSync(path.join(root, 'deploy', name), 'utf8');

interface Service {
  readonly image?: string;
  readonly build?: object;
  readonly environment?: Readonly<Record<string, string>>;
  readonly depends_on?: readonly string[] | Readonly<Record<string, object>>;
  readonly volumes?: readonly string[];
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

describe('deployment', () => {
  it('has a Dockerfile that a linter has nothing to say about', () => {
    assert.deepEqual(validate(read('Dockerfile')), []);
  });

  for (const [file, servers] of [
    ['compose.yaml', ['server']],
    ['compose.servers.yaml', ['first', 'second']],
  ] as const)
    it(`has a ${file} whose services, volumes and settings exist`, () => holdsTogether(file, servers));
});

function holdsTogether(file: string, servers: readonly string[]): void {
  const { services, volumes }: Compose = parse(read(file), { merge: true });
  const secrets = Object.fromEntries(
    read('example.env')
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => line.split('=')),
  );
  for (const [name, { depends_on: needed = [], volumes: mounted = [], environment = {} }] of Object.entries(services)) {
    for (const other of Array.isArray(needed) ? needed : Object.keys(needed))
      assert.ok(other in services, `${name} needs ${other}`);
    for (const volume of mounted) assert.ok((volume.split(':')[0] ?? '') in volumes, `${name} mounts ${volume}`);
    for (const value of Object.values(environment))
      for (const [, secret = ''] of value.matchAll(/\$\{(\w+):\?\}/g))
        assert.ok(secret in secrets, `${name} uses ${secret}`);
  }
  for (const server of servers) {
    const given = Object.entries(services[server]?.environment ?? {}).map(([name, value]) => [
      name,
      value.replace(/\$\{(\w+):\?\}/g, (_, secret: string) => secrets[secret] ?? ''),
    ]);
    const env = { ...Object.fromEntries(given), HOME: '/data' };
    const { settings, warnings } = loadSettings({ env, cwd: '/' });
    assert.deepEqual([warnings, settings.deploymentMode, settings.artifactBlobBackend], [[], 'service', 's3']);
  }
}

describe('deployment on a machine', () => {
  it('has a unit that systemd accepts', async (t) => {
    const program = needProgram(t, 'systemd-analyze', 'Debian: apt install systemd');
    if (program === undefined) return;
    const { stderr } = await promisify(execFile)(program, [
      'verify',
      '--man=no',
      path.join(root, 'deploy/svc.service'),
    ]);
    assert.doesNotMatch(stderr, /svc\.service/);
  });
});
