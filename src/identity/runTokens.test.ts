// Rule 2: a run's token reaches its own routes, for as long as the run lives, and never carries an admin scope.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadSettings } from '../settings/index.ts';
import { createAuthenticator, type PresentedCredentials } from './authenticator.ts';
import { holds, identified, reachesSession } from './caller.ts';
import { createRunTokens } from './runTokens.ts';

const { settings } = loadSettings({
  env: { HOME: '/nowhere', SVC_DEPLOYMENT_MODE: 'service', SVC_AUTH_MODE: 'trusted_proxy', SVC_PROXY_TOKEN: 'p' },
  cwd: '/',
});

function setUp() {
  let seconds = 0;
  const runTokens = createRunTokens(() => seconds);
  const authenticate = createAuthenticator({ settings, apiKeys: undefined, runTokens });
  const caller = identified('ann', 't1', ['notebook:execute', 'artifacts:write', 'admin:*', 'admin:cache']);
  const run = runTokens.mint({ caller, sessionId: 's1', seconds: 30 });
  const ask = (token: string, runTokenReach: PresentedCredentials['runTokenReach'], sessionId = '') => {
    const credentials: PresentedCredentials = {
      runTokenReach,
      sessionId,
      header: (name) => (name === 'x-svc-run-token' ? [token] : name === 'x-svc-proxy-token' ? ['p'] : ['root']),
    };
    return authenticate(credentials);
  };
  return { run, ask, pass: (by: number) => (seconds += by) };
}

const otherRoute = { refused: 403, detail: "A cell's run token does not reach this route" };
const unauthorized = { refused: 401, detail: 'Unauthorized' };

describe('run tokens', () => {
  it('act as the run’s principal without any admin scope', () => {
    const { run, ask } = setUp();
    const found = ask(run.token, 'anywhere');
    assert.deepEqual(found, { caller: identified('ann', 't1', ['notebook:execute', 'artifacts:write']) });
  });

  it('reach only their own routes, even when the proxy vouches for an administrator beside them', () => {
    const { run, ask } = setUp();
    assert.deepEqual(ask(run.token, undefined), otherRoute);
    assert.deepEqual(ask(run.token, undefined, 's1'), otherRoute);
    assert.deepEqual(ask(run.token, 'own session', 's2'), otherRoute);
    assert.equal('caller' in Object(ask(run.token, 'own session', 's1')), true);
  });

  it('die with the run, and a minute after its timeout at the latest', () => {
    const ended = setUp();
    ended.run.end();
    assert.deepEqual(ended.ask(ended.run.token, 'anywhere'), unauthorized);
    const late = setUp();
    late.pass(89);
    assert.equal('caller' in Object(late.ask(late.run.token, 'anywhere')), true);
    late.pass(2);
    assert.deepEqual(late.ask(late.run.token, 'anywhere'), unauthorized);
  });
});

describe('rule 7: who reaches a session', () => {
  const t1 = identified('ann', 't1', []);
  const none = identified('bob', null, []);
  const admin = identified('root', null, ['admin:*']);
  it('its own tenant and admin:*; a tenantless one only callers without tenant', () => {
    const reach = (tenant: string | null) => [t1, none, admin].map((caller) => reachesSession(caller, { tenant }));
    assert.deepEqual(
      [reach('t1'), reach('t2'), reach(null)],
      [
        [true, false, true],
        [false, false, true],
        [false, true, true],
      ],
    );
  });
  it('admin:* holds every scope', () => assert.equal(holds(admin, 'artifacts:pin'), true));
});
