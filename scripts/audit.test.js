import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judged, npmFlaws, pipFlaws } from './audit.js';

const npmSaid = JSON.stringify({
  vulnerabilities: {
    parser: {
      name: 'parser',
      range: '<2.0.1',
      via: [{ url: 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc', title: 'Takes for ever' }],
    },
    framework: { name: 'framework', range: '*', via: ['parser'] },
  },
});
const pipSaid = JSON.stringify({
  dependencies: [
    {
      name: 'reader',
      version: '1.0',
      vulns: [{ id: 'PYSEC-1', aliases: ['CVE-1', 'GHSA-dddd-eeee-ffff'], description: 'Reads on\nand on' }],
    },
    { name: 'calm', version: '2.0', vulns: [] },
  ],
});
const flaws = [
  { id: 'GHSA-aaaa-bbbb-cccc', package: 'parser', version: '<2.0.1', title: 'Takes for ever' },
  { id: 'GHSA-dddd-eeee-ffff', package: 'reader', version: '1.0', title: 'Reads on' },
];
const exception = { id: 'GHSA-dddd-eeee-ffff', package: 'reader', reason: 'we do not read', until: '2030-01-01' };

test('flaws are read from what both programs say, and no answer is no flaw', () => {
  assert.deepEqual([...(npmFlaws(npmSaid) ?? []), ...(pipFlaws(pipSaid) ?? [])], flaws);
  const unasked = ['', 'npm error audit endpoint returned an error', '{"message": "405 Method Not Allowed"}'];
  assert.deepEqual([...unasked.map(npmFlaws), ...unasked.map(pipFlaws)], new Array(6).fill(undefined));
});

test('a flaw is red until it is accepted with a reason, and again when its day has come', () => {
  const [flaw, accepted] = flaws.map((one) => `${one.id} in ${one.package} ${one.version}: ${one.title}`);
  assert.deepEqual(judged(flaws, [exception], '2029-12-31'), {
    isWell: false,
    lines: [`✗ ${flaw}`, `· ${accepted}. Accepted until 2030-01-01: we do not read`],
  });
  assert.equal(judged(flaws.slice(1), [exception], '2029-12-31').isWell, true);
  assert.deepEqual(judged(flaws.slice(1), [exception], '2030-01-02'), {
    isWell: false,
    lines: [`✗ ${accepted}. Accepted until 2030-01-01 (we do not read); look at it again`],
  });
  assert.deepEqual(judged([], [exception], '2029-12-31'), {
    isWell: true,
    lines: ['· the exception for GHSA-dddd-eeee-ffff in reader is no longer needed'],
  });
});
