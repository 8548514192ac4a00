// Looking a package up in the indexes that uv asks here: found with versions and sizes, or said in words why not.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { findPackage } from '../src/environments/index.ts';
import { startPackageIndex } from './kit/packageIndex.ts';

const packages = { alpha: { '1.0': [], '2.0': [] } };

/** Settings of uv that name this index and no other. */
const only = (env: Readonly<Record<string, string>>) => ({ UV_NO_CONFIG: '1', UV_DEFAULT_INDEX: env.UV_INDEX });

describe('a package', () => {
  it('is found with its versions and their sizes', async () => {
    await using index = await startPackageIndex(packages, { answersIn: 'json' });
    const found = await findPackage('Alpha', '3.13', only(index.env));
    const { host } = new URL(index.env.UV_INDEX ?? '');
    assert.deepEqual(
      { ...found, versions: found.versions.map(({ version, bytes }) => [version, Number(bytes) > 100]) },
      {
        name: 'alpha',
        index: host,
        versions: [
          ['2.0', true],
          ['1.0', true],
        ],
      },
    );
  });

  it('is found in pages of links, where the newest file itself says how large it is', async () => {
    await using index = await startPackageIndex(packages);
    const { versions } = await findPackage('alpha', '3.13', only(index.env));
    assert.deepEqual(
      versions.map(({ version, bytes }) => [version, bytes === null ? null : bytes > 100]),
      [
        ['2.0', true],
        ['1.0', null],
      ],
    );
  });

  it('is found at the index of uv.toml', async () => {
    await using index = await startPackageIndex(packages);
    const home = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-uv-'));
    fs.mkdirSync(path.join(home, 'uv'));
    fs.writeFileSync(path.join(home, 'uv/uv.toml'), `[[index]]\nname = "own"\nurl = "${index.env.UV_INDEX}"\n`);
    const { name, index: host } = await findPackage('alpha', '3.13', { XDG_CONFIG_HOME: home });
    fs.rmSync(home, { recursive: true });
    assert.deepEqual([name, host], ['alpha', new URL(index.env.UV_INDEX ?? '').host]);
  });

  it('that no index has, an index that is away, and a server without network are told apart', async () => {
    const index = await startPackageIndex(packages);
    const env = only(index.env);
    const { host } = new URL(index.env.UV_INDEX ?? '');
    await assert.rejects(findPackage('alhpa', '3.13', env), {
      message: `There is no package called alhpa at ${host}. An index is asked for exact names: check the spelling.`,
    });
    await index[Symbol.asyncDispose]();
    await assert.rejects(findPackage('alpha', '3.13', env), {
      message: new RegExp(`^The package index at ${host} cannot be asked: .*UV_DEFAULT_INDEX\\), then try again\\.$`),
    });
    await assert.rejects(findPackage('alpha', '3.13', { ...env, UV_OFFLINE: '1' }), {
      message: /^This server works offline \(UV_OFFLINE\)/,
    });
  });
});
