// Random changes of an environment, with kill -9 in the middle of some: project file, lock and installed packages always
// agree in the end, every acknowledged change is there, and one that was cut short is there whole or not at all.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as passed } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findUv } from '../scripts/setup/uv.js';
import { environmentBody } from '../src/protocol/index.ts';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startPackageIndex } from './kit/packageIndex.ts';
import { createRandom } from './kit/random.ts';
import { newHome, startServer, type TestServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const rounds = Number(process.env.SVC_TEST_CRASHES ?? 2);
const run = promisify(execFile);

describe('an environment that is changed and cut short', () => {
  for (const backend of ['uv', 'shared'] as const) {
    it(`is always whole (${backend})`, { timeout: 600_000 + rounds * 40_000 }, async (t) => {
      const random = createRandom((line) => t.diagnostic(line));
      await using index = await startPackageIndex({
        one: { '1.0': [], '2.0': [] },
        two: { '1.0': ['one<2'] },
        three: { '1.0': [] },
      });
      const home = newHome();
      const env = {
        ...index.env,
        SVC_NOTEBOOK_ENV_BACKEND: backend,
      };
      const first = await startServer({ home, env });
      const { path: place } = await createTestNotebook(first, 'Changes');
      const config = Object((await first.rest.get('/v1/notebooks/config')).json);
      const versions: [string, ...string[]] = config.available_python_versions;
      await first.stop();
      let agreed = declaredIn(place);
      let cutShort = 0;

      /** One change, and what the project declares when it has been made. */
      const change = (): {
        ask: (notebook: TestNotebook) => Promise<number>;
        after: (before: string[]) => string[];
      } => {
        const name = random.pick(['one', 'two', 'three', 'nowhere-to-be-found']);
        const version = random.pick(versions);
        const kinds = ['add', 'add', 'remove', 'sync', 'import', 'python'] as const;
        switch (random.pick([...kinds])) {
          case 'add':
            return { ask: (n) => status(n, 'POST', '/dependencies', { package: name }), after: (d) => add(d, name) };
          case 'remove':
            return {
              ask: (n) => status(n, 'DELETE', `/dependencies/${name}`),
              after: (d) => d.filter((x) => x !== name),
            };
          case 'sync':
            return { ask: (n) => status(n, 'POST', '/environment/sync'), after: (d) => d };
          case 'import':
            return {
              ask: (n) => status(n, 'POST', '/environment/requirements.txt', { requirements: `${name}\n` }),
              after: () => ['cloudpickle', name, 'orjson', 'pyarrow'].sort(),
            };
          case 'python':
            return { ask: (n) => pythonChange(n, version), after: (d) => d };
        }
      };

      for (let round = 0; round < rounds; round++) {
        const server = await startServer({ home, env });
        const notebook = await openTestNotebook(server, place);
        assert.deepEqual(await problems(notebook, env), []);
        const killed = killInAJob(server, notebook, 100 + random.below(2500));
        let cut: string[] = agreed;
        try {
          for (;;) {
            const { ask, after } = change();
            cut = after(agreed);
            const answered = await ask(notebook);
            if (answered < 300) agreed = cut;
            assert.deepEqual(declaredIn(place), agreed);
          }
        } catch (error) {
          if (error instanceof assert.AssertionError) throw error;
        }
        await killed;
        if (fs.existsSync(path.join(place, '.svc/environment_undo'))) cutShort += 1;
        const again = await startServer({ home, env });
        const reopened = await openTestNotebook(again, place);
        assert.deepEqual(await problems(reopened, env), []);
        const found = declaredIn(place);
        assert.ok([String(agreed), String(cut)].includes(String(found)), `${found} is neither ${agreed} nor ${cut}`);
        agreed = found;
        const cell = await reopened.add('import pyarrow\nprint(pyarrow.__version__)');
        assert.equal((await reopened.run(cell)).status, 'ready');
        await again.stop();
      }
      t.diagnostic(`${cutShort} of ${rounds} kills came in the middle of a job`);
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    });
  }
});

/** Kills the server while a job of the notebook runs, after some milliseconds at the earliest. */
async function killInAJob(server: TestServer, { request }: TestNotebook, earliest: number): Promise<void> {
  await passed(earliest);
  await until(async () => {
    const { environment_job } = environmentBody.parse((await request('GET', '/environment')).json);
    return environment_job?.status === 'running';
  }, 'a job runs');
  await server.stop('SIGKILL');
}

/** What uv and the server say of the notebook; nothing when all agree. */
async function problems({ path: place, request }: TestNotebook, env: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  const { environment } = environmentBody.parse((await request('GET', '/environment')).json);
  if (environment.sync_state !== 'ready' || environment.sync_error !== null)
    found.push(`${environment.sync_state}: ${environment.sync_error}`);
  const uv = findUv() ?? 'uv';
  const options = { cwd: place, env: { ...process.env, ...env } };
  const python = ['--python', path.join(place, '.venv/bin/python')];
  for (const args of [
    ['lock', '--check', ...python],
    ['sync', '--frozen', '--check', '--no-install-project', ...python],
  ])
    await run(uv, args, options).catch((error: Error) => found.push(error.message));
  if (fs.existsSync(path.join(place, '.svc/environment_undo'))) found.push('the way back was not put away');
  return found;
}

function declaredIn(place: string): string[] {
  const text = fs.readFileSync(path.join(place, 'pyproject.toml'), 'utf8');
  const [, list = ''] = /dependencies = \[([^\]]*)\]/.exec(text) ?? [];
  return [...list.matchAll(/"([a-z-]+)/g)].map(([, name = '']) => name).sort();
}

const add = (declared: readonly string[], name: string): string[] => [...new Set([...declared, name])].sort();

async function status(notebook: TestNotebook, method: string, place: string, body?: object): Promise<number> {
  return (await notebook.request(method, place, body)).status;
}

async function pythonChange(notebook: TestNotebook, version: string): Promise<number> {
  const told = notebook.framesUntil(({ type }) => type === 'environment_job_finished');
  told.catch(() => {});
  const answer = await notebook.request('PUT', '/python-version', { python_version: version });
  if (answer.status === 202) await told;
  return answer.status;
}
