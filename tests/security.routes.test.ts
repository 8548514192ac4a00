// Every route of the service against everybody who should not get in. The matrices are made from the route table, so a route
// is part of them the day it is declared; whatever is refused must also leave the world as it was.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { DeclaredRoute } from '../src/http/access.ts';
import { type Scope, scopes } from '../src/identity/index.ts';
import { unseenSign } from '../src/unseenSigns.ts';
import {
  type Guarded,
  type Headers,
  keyEnvironment,
  type ShortAnswer,
  startGuarded,
  type World,
  writableEnvironment,
} from './kit/guarded.ts';
import { openSocket, RefusedUpgrade } from './kit/socket.ts';

const nameOf = ({ method, url }: DeclaredRoute): string => `${method} ${url}`;
const below = (scope: Scope): boolean => scope !== 'admin:*';
const ordinary = scopes.filter((scope) => !scope.startsWith('admin:'));

/** Parts of paths that lead somewhere else when they are taken for more than a name. */
const leading = [
  '..',
  '%2e%2e',
  '..%2f..%2f..%2fetc%2fpasswd',
  '%2fetc%2fpasswd',
  '%2f',
  '.',
  '%00',
  'first%00',
  'a'.repeat(3000),
  'a'.repeat(5000),
  'a'.repeat(20_000),
  '%',
  '%ff%fe',
  '%c0%ae%c0%ae%2f',
  '%ed%a0%80',
];
/** Names that nobody has; a file could, but for those with a sign that nobody sees. */
const odd = [
  '%5c..%5c',
  '%E2%80%A5',
  '%EF%BC%8E%EF%BC%8E%EF%BC%8F',
  '%F0%9F%92%A9',
  '%E2%80%AEtxt',
  '%0d%0aset-cookie:x',
  '%252e%252e',
  '~root',
  '-1',
  '1e+400',
  "';--",
];
/** Where any text is a name, of something that need not be there yet; each says the name back. */
const takesAnyName = new Set([
  'GET /v1/artifacts/:artifact_id/v/:version/tags',
  'GET /v1/names/*',
  'PUT /v1/names/*',
  'POST /v1/projects/*',
  'PUT /v1/notebooks/:session_id/files/*',
]);

/** What follows the part that a wildcard takes as a name. */
const endings: Readonly<Record<string, readonly string[]>> = {
  '/v1/projects/*': ['/quiesce', '/release'],
  '/v1/names/*': ['', '/aliases', '/aliases/best'],
  '/v1/artifacts/names/*': ['/status'],
};

/** Fits every route, so that each gets as far as it can with what its path names. */
const query =
  '?artifact_uri=svc%3A%2F%2Fartifact%2Fnone@v=1&reason=r&tag_key=k&expires_at=1&signature=s&seq=0&folder=f&path=p';
const bodyOf = ({ method }: DeclaredRoute, { ours }: Guarded): string | undefined =>
  method === 'GET' || method === 'HEAD'
    ? undefined
    : JSON.stringify({
        ...{ source: 'x = 2', offset: 0, reason: 'r', key: 'k', value: 'v', enabled: true, title: 'T' },
        ...{ name: 'nobody', alias: 'best', table: '/lake#a.b', paths: [], tables: [], inputs: [], transform: {} },
        ...{ artifact_id: ours.artifact_id, version: 1, path: '../ours/marked_notebook', parent_path: '../ours' },
      });

function pathOf({ ours }: Guarded, { url }: DeclaredRoute, changed: Readonly<Record<string, string>> = {}): string {
  const filling = (name: string): string => changed[name] ?? ours[name] ?? 'none';
  return url.replace(/:(\w+)/g, (_, name) => filling(name)).replace('*', () => changed['*'] ?? filling(url));
}

/** Sends all of them, a few at a time, and gives the lines of those that something is wrong with. */
async function wrongOnes<T>(
  cases: Iterable<T>,
  judge: (one: T) => Promise<string | undefined>,
  atOnce = 8,
): Promise<string[]> {
  const wrong: string[] = [];
  const waiting = cases[Symbol.iterator]();
  const work = async (): Promise<void> => {
    for (let next = waiting.next(); !next.done; next = waiting.next()) {
      const problem = await judge(next.value);
      if (problem !== undefined) wrong.push(problem);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return wrong.sort();
}

const shown = (route: DeclaredRoute, what: string, { status, text }: ShortAnswer): string =>
  `${nameOf(route)} ${what} answered ${status}: ${text.slice(0, 200)}`;

async function refusedUpgrade(guarded: Guarded, sessionId: string, headers: Headers): Promise<number> {
  try {
    (await openSocket(guarded.address, `/v1/notebooks/ws/${sessionId}`, headers)).close();
    return 101;
  } catch (error) {
    assert.ok(error instanceof RefusedUpgrade, String(error));
    return error.status;
  }
}

const deployments = { 'with keys': keyEnvironment, 'behind a proxy, where writing is allowed': writableEnvironment };

for (const [deployment, env] of Object.entries(deployments)) {
  describe(`a service ${deployment}`, () => {
    let guarded: Guarded;
    let world: World;
    before(async () => {
      guarded = await startGuarded(env);
      world = await guarded.world();
    });
    after(() => guarded[Symbol.asyncDispose]());
    const unchanged = async (): Promise<void> => assert.deepEqual(await guarded.world(), world);
    const asked = (): DeclaredRoute[] => guarded.routes.filter(({ access }) => access.open === undefined);
    const inOurs = (...held: Scope[]): Promise<Headers> => guarded.headersOf({ tenant: 'ours', scopes: held });

    it('answers 403 on every route to every scope that is too small, and does nothing', async () => {
      const cases = asked().flatMap((route) => {
        const { scope } = route.access;
        const others = scopes.filter((one) => below(one) && one !== scope);
        // Each alone where keys are asked, which is the longer way; all of them together everywhere.
        const held = env === keyEnvironment ? [[], ...others.map((one) => [one]), others] : [others];
        return scope === undefined ? [] : held.map((each): [DeclaredRoute, Scope[]] => [route, each]);
      });
      assert.ok(cases.length > 150);
      const wrong = await wrongOnes(cases, async ([route, held]) => {
        const answer = await guarded.send(
          route.method,
          pathOf(guarded, route),
          await inOurs(...held),
          bodyOf(route, guarded),
        );
        return answer.status === 403 ? undefined : shown(route, `with [${held.join(' ')}]`, answer);
      });
      assert.deepEqual(wrong, []);
      assert.equal(
        await refusedUpgrade(
          guarded,
          guarded.ours.session_id ?? '',
          await inOurs(...scopes.filter((one) => below(one) && one !== 'notebook:read')),
        ),
        403,
      );
      await unchanged();
    });

    it('answers 403 on every route of personal mode, to administrators too', async () => {
      const headers = await inOurs('admin:*');
      const personal = asked().filter(({ access }) => access.personalOnly !== undefined);
      const wrong = await wrongOnes(personal, async (route) => {
        const answer = await guarded.send(route.method, pathOf(guarded, route), headers, bodyOf(route, guarded));
        return answer.status === 403 ? undefined : shown(route, 'as an administrator', answer);
      });
      assert.deepEqual([personal.length > 0, wrong], [true, []]);
      await unchanged();
    });

    it('answers 401 on every route to whoever shows nothing, or something that is nobody’s', async () => {
      const forged: Headers[] = [
        {},
        { authorization: `Bearer svc_${'0'.repeat(32)}_guessed` },
        { 'x-svc-proxy-token': 'guessed', 'x-svc-principal': 'root', 'x-svc-scopes': 'admin:*' },
        { 'x-svc-run-token': 'guessed' },
      ];
      // A signed address is a credential of its own; without a signature its route asks as all others do.
      const routes = guarded.routes.filter(({ access }) => access.open === undefined || access.open === 'signed');
      const cases = routes.flatMap((route) => forged.map((headers): [DeclaredRoute, Headers] => [route, headers]));
      const wrong = await wrongOnes(cases, async ([route, headers]) => {
        const answer = await guarded.send(route.method, pathOf(guarded, route), headers, bodyOf(route, guarded));
        return answer.status === 401 ? undefined : shown(route, `with ${Object.keys(headers)}`, answer);
      });
      assert.deepEqual(wrong, []);
      for (const headers of forged)
        assert.equal(await refusedUpgrade(guarded, guarded.ours.session_id ?? '', headers), 403);
      await unchanged();
    });

    it('shows nothing of a tenant to another: what is there is like what never was', async () => {
      const headers = await guarded.headersOf({ tenant: 'theirs', scopes: ordinary });
      const nobodys = Object.fromEntries(Object.keys(guarded.ours).map((name) => [name, 'nobodys']));
      const wrong = await wrongOnes(asked(), async (route) => {
        const body = bodyOf(route, guarded);
        const ask = (place: string): Promise<ShortAnswer> => guarded.send(route.method, place + query, headers, body);
        const place = pathOf(guarded, route);
        const answer = await ask(place);
        if (answer.status >= 500) return shown(route, 'to another tenant', answer);
        // What was asked for by its name is said back; whoever asked knew it.
        const said = Object.values(guarded.ours).reduce((text, name) => text.replaceAll(name, ''), answer.text);
        const seen = guarded.marks.filter((mark) => said.includes(mark));
        if (seen.length > 0) return shown(route, `shows ${seen}`, answer);
        if (!/:session_id|:artifact_id|:token|\*/.test(route.url)) return undefined;
        const never = pathOf(guarded, route, { ...nobodys, version: '1', '*': endingOf(place, route) });
        const other = await ask(never);
        return other.status === answer.status
          ? undefined
          : `${shown(route, 'ours', answer)}; nobody’s: ${other.status}`;
      });
      assert.deepEqual(wrong, []);
      assert.equal(await refusedUpgrade(guarded, guarded.ours.session_id ?? '', headers), 403);
      await unchanged();
    });

    it('lets the token of a run reach its own routes and no other', async () => {
      const run = guarded.runToken(scopes);
      const headers = { ...(await inOurs('admin:*')), 'x-svc-run-token': run.token };
      const unreached = '{"detail":"A cell\'s run token does not reach this route"}';
      const reaches = async (route: DeclaredRoute, place: string): Promise<boolean> => {
        const { status, text } = await guarded.send(route.method, place, headers, '{}');
        assert.ok(status < 500, `${nameOf(route)} answered ${status}`);
        return !(status === 403 && text === unreached);
      };
      const routes = asked().filter(({ method }) => method !== 'HEAD');
      const wrong = await wrongOnes(routes, async (route) => {
        const { runToken } = route.access;
        const own = await reaches(route, pathOf(guarded, route));
        const other = await reaches(route, pathOf(guarded, route, { session_id: 'another' }));
        const got = `${nameOf(route)}: own session ${own}, another ${other}`;
        return own === (runToken !== undefined) && other === (runToken === 'anywhere') ? undefined : got;
      });
      assert.deepEqual(wrong, []);
      // Of the same address GET shows; HEAD is no request of such a client.
      const heads = await wrongOnes(
        asked().filter(({ method }) => method === 'HEAD'),
        async (route) => {
          const answer = await guarded.send('HEAD', pathOf(guarded, route), headers);
          return answer.status === 403 ? undefined : shown(route, 'with a run token', answer);
        },
      );
      assert.deepEqual(heads, []);
      assert.equal(await refusedUpgrade(guarded, guarded.ours.session_id ?? '', headers), 403);
      run.end();
      const ended = await wrongOnes(asked(), async (route) => {
        const answer = await guarded.send(route.method, pathOf(guarded, route), headers, bodyOf(route, guarded));
        return answer.status === 401 ? undefined : shown(route, 'with the token of a run that has ended', answer);
      });
      assert.deepEqual(ended, []);
      await unchanged();
    });

    /** Every route with every part of its path replaced by each of these. */
    const misnamed = (routes: readonly DeclaredRoute[], parts: readonly string[]) =>
      routes.flatMap((route) =>
        [...route.url.matchAll(/:(\w+)|\*/g)].flatMap(([, name = '*']) =>
          parts.flatMap((part) =>
            (name === '*' ? (endings[route.url] ?? ['']) : ['']).map((ending) => ({
              route,
              part,
              place: pathOf(guarded, route, { [name]: `${part}${ending}` }) + query,
            })),
          ),
        ),
      );

    it('takes no part of a path for more than a name, and nothing has these', async () => {
      const headers = await inOurs('admin:*');
      const routes = guarded.routes.filter((route) => route.method !== 'HEAD' && !takesAnyName.has(nameOf(route)));
      const cases = misnamed(routes, [...leading, ...odd]);
      assert.ok(cases.length > 3000);
      const wrong = await wrongOnes(cases, async ({ route, part, place }) => {
        const answer = await guarded.send(route.method, place, headers, bodyOf(route, guarded));
        const refused = answer.status >= 400 && answer.status < 500;
        return refused ? undefined : shown(route, `with ${part.slice(0, 40)}`, answer);
      });
      assert.deepEqual(wrong, []);
      for (const part of leading.filter((one) => one.length < 10_000))
        assert.equal(await refusedUpgrade(guarded, part, headers), 403, part);
      await unchanged();
    });

    it('takes it as it is where any text is a name, and writes nowhere else', async () => {
      const headers = await inOurs('admin:*');
      const routes = guarded.routes.filter((route) => takesAnyName.has(nameOf(route)));
      assert.equal(routes.length, takesAnyName.size);
      const judge = async ({ route, part, place }: ReturnType<typeof misnamed>[number]) => {
        const answer = await guarded.send(route.method, place, headers, bodyOf(route, guarded));
        if (answer.status >= 400 && answer.status < 500) return undefined;
        const { name, artifact_id: id, version, path: lies = '' } = Object(JSON.parse(answer.text));
        const isSaid = [name, id, String(version), lies.replace(/^.*\/notebooks\/?/, '') || '.'].includes(
          decodeURIComponent(part),
        );
        return isSaid && answer.status === 200 ? undefined : shown(route, `with ${part.slice(0, 40)}`, answer);
      };
      // One after the other: a project that is held still is released before files are written.
      assert.deepEqual(await wrongOnes(misnamed(routes, [...leading, ...odd]), judge, 1), []);
      const { files, beside } = await guarded.world();
      const written = Object.keys(files).filter((file) => !(file in world.files));
      const seen = odd.map((part) => decodeURIComponent(part)).filter((name) => unseenSign(name) === undefined);
      const named = seen.map((name) => `${guarded.work}/${name}`);
      assert.deepEqual([written.sort(), beside], [named.sort(), world.beside]);
    });
  });
}

/** The same operation of a wildcard, of a name that nobody has. */
const endingOf = (place: string, { url }: DeclaredRoute): string =>
  `nobodys${(endings[url] ?? []).find((ending) => ending !== '' && place.endsWith(ending)) ?? ''}`;
