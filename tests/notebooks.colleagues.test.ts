// Colleagues on a shared server: each has a session of their own, and all of them are in one notebook, with one document, one
// table of locks and one run at a time.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook } from './kit/notebook.ts';
import { startPackageIndex } from './kit/packageIndex.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { asserted, proxyEnvironment, startProxied } from './kit/service.ts';
import { type Frame, openSocket, type TestSocket } from './kit/socket.ts';

const scopes = 'notebook:read notebook:write notebook:execute';
const as = (principal: string, held = scopes) => asserted({ principal, scopes: held });

let server: TestServer;
before(async () => {
  server = await startProxied({
    SVC_NOTEBOOK_CREDENTIALS: JSON.stringify({ ledger: { note: 'x' } }),
    SVC_NOTEBOOK_CREDENTIAL_WRITERS: JSON.stringify({ ledger: ['ann'] }),
    SVC_NOTEBOOK_CELL_LOCK_SECONDS: '600',
  });
});
after(() => server[Symbol.asyncDispose]());

interface Colleague {
  readonly sessionId: string;
  readonly path: string;
  readonly socket: TestSocket;
  ask(method: string, place: string, json?: object): ReturnType<TestServer['rest']['send']>;
  /** Adds a cell and gives its id. */
  add(source: string, language?: string): Promise<string>;
  sources(): Promise<string[]>;
}

async function enters(principal: string, opened: Promise<{ json: unknown }>, at = server): Promise<Colleague> {
  const headers = as(principal);
  const { session_id: sessionId, path: place } = Object((await opened).json);
  const socket = await openSocket(at.address, `/v1/notebooks/ws/${sessionId}`, headers);
  const ask: Colleague['ask'] = (method, below, json) =>
    at.rest.send(method, `/v1/notebooks/${sessionId}${below}`, { headers, ...(json ? { json } : {}) });
  return {
    sessionId,
    path: place,
    socket,
    ask,
    async add(source, language = 'python') {
      const { id } = Object((await ask('POST', '/cells', { language })).json);
      assert.equal((await ask('PUT', `/cells/${id}`, { source })).status, 200);
      return id;
    },
    sources: async () =>
      Object((await ask('GET', '/cells')).json).cells.map(({ source }: { source: string }) => source),
  };
}

/** The one creates the notebook, the other opens it by its path. */
async function annAndBob(name: string, at = server): Promise<{ ann: Colleague; bob: Colleague }> {
  const headers = as('ann');
  const created = at.rest.post('/v1/notebooks/create', { headers, json: { parent_path: '.', name } });
  const ann = await enters('ann', created, at);
  return { ann, bob: await opens('bob', ann.path, at) };
}

const opens = (principal: string, place: string, at = server): Promise<Colleague> =>
  enters(principal, at.rest.post('/v1/notebooks/open', { headers: as(principal), json: { path: place } }), at);

const names = ({ payload }: Frame): string[] =>
  Array.isArray(payload.principals) ? payload.principals.map(({ principal }) => principal) : [];

const present =
  (...expected: string[]) =>
  (frame: Frame): boolean =>
    frame.type === 'presence' && names(frame).join() === expected.join();

describe('two people who open one notebook', () => {
  it('have sessions of their own, see each other, and each other’s edits as they are made', async () => {
    const { ann, bob } = await annAndBob('Meeting');
    assert.notEqual(ann.sessionId, bob.sessionId);
    assert.equal((await ann.socket.frame(present('ann', 'bob'))).payload.you, 'ann');
    assert.equal((await bob.socket.frame(present('ann', 'bob'))).payload.you, 'bob');
    const cell = await ann.add('x = 1');
    bob.socket.send('cell_source_update', { cell_id: cell, source: 'x = 2', force: true });
    const told = await ann.socket.frame(({ type, payload }) => {
      const edited = Array.isArray(payload.cells) ? payload.cells.find(({ id }) => id === cell) : undefined;
      return type === 'dag_update' && edited?.source === 'x = 2';
    });
    assert.equal(told.type, 'dag_update');
    assert.deepEqual([await ann.sources(), await bob.sources()], [['x = 2'], ['x = 2']]);
    const isState = ({ type }: Frame): boolean => type === 'notebook_state';
    assert.deepEqual(
      [(await ann.socket.frame(isState)).payload.session_id, (await bob.socket.frame(isState)).payload.session_id],
      [ann.sessionId, bob.sessionId],
    );
  });

  it('do not overwrite each other: a cell is its last editor’s for a while', async () => {
    const { ann, bob } = await annAndBob('Locks');
    const cell = await ann.add('of_ann = 1');
    const refused = await bob.ask('PUT', `/cells/${cell}`, { source: 'of_bob = 1' });
    const { code, cell_id, held_by } = Object(refused.json).detail;
    assert.deepEqual([refused.status, code, cell_id, held_by], [409, 'cell_locked', cell, 'ann']);
    assert.deepEqual(await bob.sources(), ['of_ann = 1']);
  });

  it('run one thing at a time, and either may end it', async () => {
    const { ann, bob } = await annAndBob('Runs');
    await ann.ask('PUT', '/connections', { connections: [{ name: 'db', driver: 'sqlite', path: 'own.db' }] });
    fs.writeFileSync(path.join(ann.path, 'own.db'), '');
    const endless = 'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) AS last FROM n';
    const cell = await ann.add(`# @sql connection=db\n${endless}`, 'sql');
    ann.socket.send('cell_execute', { cell_id: cell });
    const isStatus = (status: string) => (frame: Frame) =>
      frame.type === 'cell_status' && frame.payload.cell_id === cell && frame.payload.status === status;
    const running = await bob.socket.frame(isStatus('running'));
    bob.socket.send('cell_execute', { cell_id: cell });
    const eve = await opens('eve', ann.path);
    assert.equal((await eve.ask('POST', '/close')).status, 200, 'who leaves others at work leaves alone');
    const busy = await bob.socket.frame(({ type }) => type === 'error');
    assert.deepEqual([busy.payload.code, busy.payload.cell_id], ['notebook_busy', cell]);
    assert.equal((await bob.ask('POST', `/cells/${cell}/execute`)).status, 409);
    const cancelled = await bob.ask('POST', `/cells/${cell}/cancel`);
    assert.equal(Object(cancelled.json).cancelled, true);
    await ann.socket.frame((frame) => isStatus('idle')(frame) && Number(frame.seq) > Number(running.seq));
  });

  it('run with what they may do themselves, through whichever session', async () => {
    const { ann, bob } = await annAndBob('Rights');
    const connection = { name: 'db', driver: 'sqlite', path: 'own.db', credential: 'ledger' };
    assert.equal((await ann.ask('PUT', '/connections', { connections: [connection] })).status, 200);
    const cell = await ann.add('# @sql connection=db write=true\nCREATE TABLE t (x)', 'sql');
    const byBob = await server.rest.post(`/v1/notebooks/${ann.sessionId}/cells/${cell}/execute`, {
      headers: as('bob'),
    });
    assert.match(Object(byBob.json).error, /Credential 'ledger' may only be used for reading/);
    const own = await bob.ask('POST', `/cells/${cell}/execute`);
    assert.match(Object(own.json).error, /Credential 'ledger' may only be used for reading/);
  });

  it('leave alone: whoever stays goes on, and whoever comes back finds them', async () => {
    const { ann, bob } = await annAndBob('Leaving');
    assert.equal((await ann.ask('POST', '/close')).status, 200);
    assert.equal(await ann.socket.closed, 1000);
    assert.deepEqual(
      ann.socket.frames.filter(({ type }) => type === 'session_closed').map(({ payload }) => payload.reason),
      ['closed'],
    );
    await bob.socket.frame(present('bob'));
    assert.equal((await ann.ask('GET', '/cells')).status, 404);
    await bob.add('still = "here"');
    const claim = JSON.parse(fs.readFileSync(path.join(bob.path, '.svc/open.json'), 'utf8'));
    assert.equal(claim.session_id, bob.sessionId);
    const back = await opens('ann', bob.path);
    assert.notEqual(back.sessionId, ann.sessionId);
    assert.equal((await back.socket.frame(present('ann', 'bob'))).payload.you, 'ann');
    assert.deepEqual(await back.sources(), ['still = "here"']);
    await bob.ask('POST', '/close');
    await back.ask('POST', '/close');
    assert.equal(fs.existsSync(path.join(bob.path, '.svc/open.json')), false);
  });

  it('are watched by whoever may only read, who hears of both and changes nothing', async () => {
    const { ann, bob } = await annAndBob('Watching');
    const eve = await openSocket(server.address, `/v1/notebooks/ws/${ann.sessionId}`, as('eve', 'notebook:read'));
    await bob.socket.frame(present('ann', 'bob', 'eve'));
    const cell = await bob.add('from_bob = 1');
    await eve.frame(({ type, payload }) => type === 'notebook_state' && JSON.stringify(payload).includes('from_bob'));
    eve.send('cell_source_update', { cell_id: cell, source: 'from_eve = 1', force: true });
    assert.equal((await eve.frame(({ type }) => type === 'error')).payload.code, 'insufficient_scope');
    assert.deepEqual(await ann.sources(), ['from_bob = 1']);
  });

  it('are told alike when the notebook was taken away, and neither finds it again', async () => {
    const { ann, bob } = await annAndBob('Taken away');
    // Its environment may still be made there: a folder that is written to cannot be removed, but moved.
    fs.renameSync(ann.path, `${ann.path}-elsewhere`);
    const again = await server.rest.post('/v1/notebooks/open', { headers: as('ann'), json: { path: ann.path } });
    assert.equal(again.status, 404);
    for (const { socket } of [ann, bob]) {
      assert.equal(await socket.closed, 1000);
      assert.deepEqual(
        socket.frames.filter(({ type }) => type === 'session_closed').map(({ payload }) => payload.reason),
        ['deleted'],
      );
    }
    assert.deepEqual([(await ann.ask('GET', '/cells')).status, (await bob.ask('GET', '/cells')).status], [404, 404]);
  });
});

describe('two pages of one notebook', () => {
  it('are asked each for themselves: a second question does not remove the first', async () => {
    await using personal = await startServer();
    const notebook = await createTestNotebook(personal, 'Questions');
    const place = `/v1/notebooks/ws/${notebook.sessionId}`;
    const [one, other] = [await openSocket(personal.address, place), await openSocket(personal.address, place)];
    await notebook.add('base = 1');
    const [first, second] = [await notebook.add('one = base'), await notebook.add('two = base + 1')];
    const isOf = (type: string, cell: string) => (frame: Frame) =>
      frame.type === type && frame.payload.cell_id === cell;
    const ready = (cell: string) => (frame: Frame) =>
      isOf('cell_status', cell)(frame) && frame.payload.status === 'ready';
    one.send('cell_execute', { cell_id: first });
    const { plan_id: firstPlan } = (await one.frame(isOf('cascade_prompt', first))).payload;
    other.send('cell_execute', { cell_id: second });
    await other.frame(isOf('cascade_prompt', second));
    assert.equal((await notebook.run(second)).status, 'ready');
    one.send('cell_execute_cascade', { cell_id: first, plan_id: firstPlan });
    const answer = await one.frame((frame) => frame.type === 'error' || ready(first)(frame));
    assert.deepEqual([answer.type, answer.payload.status], ['cell_status', 'ready']);
  });
});

describe('a server with room for two sessions', () => {
  it('lets go of the one that did nothing for longest; the colleague in the same notebook stays', async () => {
    await using small = await startProxied({ SVC_NOTEBOOK_MAX_SESSIONS: '2', SVC_NOTEBOOK_CELL_LOCK_SECONDS: '0' });
    const { ann, bob } = await annAndBob('Crowded', small);
    bob.socket.send('cell_focus', { cell_id: null });
    const cell = await bob.add('kept = 1');
    const created = small.rest.post('/v1/notebooks/create', {
      headers: as('eve'),
      json: { parent_path: '.', name: 'Other' },
    });
    await enters('eve', created, small);
    assert.equal(await ann.socket.closed, 1000);
    const reasons = ann.socket.frames.filter(({ type }) => type === 'session_closed');
    assert.deepEqual(
      reasons.map(({ payload }) => payload.reason),
      ['session_limit'],
    );
    await bob.socket.frame(present('bob'));
    assert.equal((await bob.ask('PUT', `/cells/${cell}`, { source: 'kept = 2' })).status, 200);
    const back = await opens('ann', bob.path, small);
    assert.deepEqual(await back.sources(), ['kept = 2']);
  });
});

describe('an environment job that one of two people starts', () => {
  it('is seen by the other, who cannot disturb it, and whose runs wait until it has ended', async () => {
    await using index = await startPackageIndex({ waiting: { '1.0': [] } });
    await using busy = await startProxied(index.env);
    const { ann, bob } = await annAndBob('Jobs', busy);
    const isJob = (type: string, action: string) => (frame: Frame) =>
      frame.type === type && Object(frame.payload.environment_job).action === action;
    const { asked, release } = index.hold('waiting');
    const begun = await ann.ask('POST', '/environment/jobs', { action: 'add', package: 'waiting' });
    assert.equal(begun.status, 202);
    await asked;
    const seen = await bob.socket.frame(isJob('environment_job_started', 'add'));
    const { id } = Object(Object(begun.json).environment_job);
    assert.equal(Object(seen.payload.environment_job).id, id);
    const refused = await bob.ask('POST', '/environment/jobs', { action: 'sync' });
    const { code, environment_job } = Object(refused.json).detail;
    assert.deepEqual([refused.status, code, environment_job.id], [409, 'ENVIRONMENT_BUSY', id]);
    const cell = await bob.add('import waiting\n1');
    bob.socket.send('cell_execute', { cell_id: cell });
    assert.equal((await bob.socket.frame(({ type }) => type === 'error')).payload.code, 'ENVIRONMENT_BUSY');
    release();
    const ended = await bob.socket.frame(isJob('environment_job_finished', 'add'));
    assert.equal(Object(ended.payload.environment_job).status, 'completed');
    const ran = await bob.ask('POST', `/cells/${cell}/execute`);
    assert.equal(Object(ran.json).error_type, 'LocalCellsRefused', 'the run is weighed again, as on any such server');
  });
});

describe('a server that is killed while two people work', () => {
  it('has all that it answered to either when they come back, and they meet again', async () => {
    const home = newHome();
    const env = { ...proxyEnvironment, SVC_NOTEBOOK_CELL_LOCK_SECONDS: '0' };
    const first = await startServer({ home, env });
    const { ann, bob } = await annAndBob('Killed', first);
    const [a, b] = [await ann.add('a = 0'), await bob.add('b = 0')];
    for (let n = 1; n <= 5; n += 1) {
      const answers = await Promise.all([
        ann.ask('PUT', `/cells/${a}`, { source: `a = ${n}` }),
        bob.ask('PUT', `/cells/${b}`, { source: `b = ${n}` }),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 200],
      );
    }
    await first.stop('SIGKILL');
    await Promise.all([ann.socket.closed, bob.socket.closed]);
    await using second = await startServer({ home, env });
    const back = await Promise.all([opens('ann', ann.path, second), opens('bob', ann.path, second)]);
    for (const one of back) {
      await one.socket.frame(present('ann', 'bob'));
      assert.deepEqual(await one.sources(), ['a = 5', 'b = 5']);
    }
    fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  });
});
