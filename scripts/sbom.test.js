import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownSbom, sbomOf } from './sbom.js';

test('names what is installed, what is built into the page and what the engine is made of, and no tools', () => {
  const integrity = `sha512-${Buffer.from('digest').toString('base64')}`;
  const lock = {
    name: 'own',
    version: '1.0.0',
    packages: {
      '': { version: '1.0.0' },
      'node_modules/served': { version: '2.0.0', license: 'MIT', integrity },
      'node_modules/@scope/maybe': { version: '3.0.0', license: '(MIT OR Apache-2.0)', optional: true },
      'node_modules/drawn': { version: '4.0.0', dev: true, dependencies: { helper: '*' } },
      'node_modules/drawn/node_modules/helper': { version: '5.0.0', dev: true },
      'node_modules/helper': { version: '6.0.0', dev: true },
      'node_modules/tool': { version: '7.0.0', dev: true },
    },
  };
  const requirements = `pyarrow==25.0.1 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n    # via -r requirements.in\ntzdata==1 ; sys_platform == 'win32' \\\n    --hash=sha256:cc\n`;
  const { components, serialNumber } = sbomOf({ lock, page: ['drawn'], requirements });
  assert.match(serialNumber, /^urn:uuid:[\da-f]{8}-[\da-f]{4}-5[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/);
  assert.deepEqual(
    components.map(({ purl }) => purl),
    [
      'pkg:npm/%40scope/maybe@3.0.0',
      'pkg:npm/drawn@4.0.0',
      'pkg:npm/helper@5.0.0',
      'pkg:npm/served@2.0.0',
      'pkg:pypi/pyarrow@25.0.1',
      'pkg:pypi/tzdata@1',
    ],
  );
  assert.deepEqual(components[3], {
    'bom-ref': 'pkg:npm/served@2.0.0',
    type: 'library',
    name: 'served',
    version: '2.0.0',
    purl: 'pkg:npm/served@2.0.0',
    scope: 'required',
    licenses: [{ license: { id: 'MIT' } }],
    hashes: [{ alg: 'SHA-512', content: Buffer.from('digest').toString('hex') }],
  });
  assert.deepEqual(components[4]?.hashes, [
    { alg: 'SHA-256', content: 'aa' },
    { alg: 'SHA-256', content: 'bb' },
  ]);
});

test('of this package is the same each time, and holds what it stands on', () => {
  const sbom = ownSbom();
  assert.deepEqual(ownSbom(), sbom);
  const names = sbom.components.map(({ name }) => name);
  for (const name of ['fastify', 'ws', 'pg', 'react-dom', '@codemirror/view', 'vega', 'pyarrow', 'pyiceberg'])
    assert.ok(names.includes(name), name);
  for (const name of ['@biomejs/biome', 'typescript', 'playwright-core', 'vite'])
    assert.ok(!names.includes(name), name);
});
