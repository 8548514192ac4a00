// Whatever is sent, a server answers only what its description names: no 5xx, documented statuses, types and bodies.
// SVC_TEST_SEED makes other requests, SVC_TEST_EXAMPLES more of them, and both kinds for both servers.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { type Guarded, startGuarded, writableEnvironment } from './kit/guarded.ts';
import { fuzz, schemathesis } from './kit/schemathesis.ts';

const seed = Number(process.env.SVC_TEST_SEED ?? 1);
const wanted = process.env.SVC_TEST_EXAMPLES;
const examples = Number(wanted ?? 4);

/** What takes away or holds still what the other requests are about, and what never ends. */
const inTheWay = /^DELETE .*\{(session|cell)_id\}$|\/(close|quiesce|delete-by-path)$|\/logs\/stream$/;
/** And what asks a package index or another machine. */
const orFarAway = new RegExp(
  `${inTheWay.source}|/(dependencies|sync|jobs|requirements\\.txt|environment\\.yaml|python-version|ssh)$|/create$`,
);

/** The folder of its programs; undefined after the test was marked as skipped, which CI does not accept. */
async function fuzzer(t: TestContext): Promise<string | undefined> {
  try {
    return await schemathesis((line) => t.diagnostic(line));
  } catch (problem) {
    if (process.env.SVC_TEST_ALL === '1') throw problem;
    t.skip(`Its environment could not be made: ${String(problem)}`);
    return undefined;
  }
}

async function staysWithinItsDescription(
  t: TestContext,
  guarded: Guarded,
  headers: Readonly<Record<string, string>>,
  { without, phase }: { readonly without: RegExp; readonly phase: 'coverage' | 'fuzzing' },
): Promise<void> {
  const programs = await fuzzer(t);
  if (programs === undefined) return;
  const { session_id, cell_id, artifact_id, version, token, hash } = guarded.ours;
  const fixed = Object.entries({ session_id, cell_id, artifact_id, version, token, hash });
  const { isGreen, report } = await fuzz(programs, {
    address: guarded.address,
    headers,
    fixed: Object.fromEntries(fixed.map(([name, value = '']) => [name, value])),
    without,
    phases: wanted === undefined ? phase : 'coverage,fuzzing',
    examples,
    seed,
  });
  const [counted = ''] = /\d+ generated.*/.exec(report) ?? [];
  t.diagnostic(`seed ${seed}: ${counted}`);
  assert.ok(isGreen, report);
  assert.ok(Number.parseInt(counted, 10) > 300, report);
}

describe('requests made up from the description', { timeout: 500_000 }, () => {
  it('are answered as it says by a service, to an administrator', async (t) => {
    await using guarded = await startGuarded(writableEnvironment);
    const headers = await guarded.headersOf({ tenant: 'ours', scopes: ['admin:*'] });
    await staysWithinItsDescription(t, guarded, headers, { without: inTheWay, phase: 'coverage' });
  });

  it('are answered as it says by a server of one person, who may do everything', async (t) => {
    await using guarded = await startGuarded({ SVC_MULTI_TENANT_ENABLED: 'false' });
    await staysWithinItsDescription(t, guarded, {}, { without: orFarAway, phase: 'fuzzing' });
  });
});
