// The bounded part of `npm run test:load`: a service of several tenants under a little of everything at once. Nobody gets an answer that
// is not described, nor other bytes, rows or values than are there, and one tenant that floods has nobody else refused.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { playLoad } from './load/play.ts';
import { linesOf } from './load/report.ts';
import { smallScale, timingOf } from './load/scale.ts';
import { linesOfSoak, perRound, soak } from './load/soak.ts';

const skip = process.platform !== 'linux' && 'measures by the means of Linux';

it('a service under load answers as described, and one tenant’s flood is its own', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const outcome = await playLoad({ scale: smallScale, timing: timingOf(0.35), seed: 20_001 }, (line) =>
    t.diagnostic(line),
  );
  for (const line of linesOf(outcome)) t.diagnostic(line);
  const { flooded } = outcome.fairness.refused;
  assert.deepEqual({ findings: outcome.findings, refused: flooded }, { findings: [], refused: 0 });
  // How fast it was is the machine's matter here; what it kept in memory is not.
  assert.ok(outcome.measured.memoryMebibytes < 600, `the server takes ${outcome.measured.memoryMebibytes} MiB`);
});

it('what rounds of notebooks, runs, scans and results leave in memory does not add up', {
  skip,
  timeout: 300_000,
}, async (t) => {
  const scale = { notebooks: 2, requests: 20, scans: 40, stored: 1, runs: 3 };
  const soaked = await soak({ scale, seed: 20_002, isOver: (rounds) => rounds === 6 }, (line) => t.diagnostic(line));
  for (const line of linesOfSoak(soaked)) t.diagnostic(line);
  assert.deepEqual(soaked.findings, []);
  // Caches fill and code is compiled, and a moment of many requests leaves buffers for the next: the middle of all slopes is not tilted by one.
  const grown = perRound(soaked, ({ aliveMebibytes }) => aliveMebibytes);
  assert.ok(grown < 1.5, `${grown.toFixed(2)} MiB come to stay in a round`);
});
