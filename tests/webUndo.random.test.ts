// Long random sequences of changes in a real browser, cells, settings and packages mixed: taken back one by one they lead to where
// it began, made again to where it ended, in the page and on disk. What somebody else changes meanwhile stays. SVC_TEST_SEED
// repeats a run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { environmentBody } from '../src/protocol/index.ts';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startPackageIndex } from './kit/packageIndex.ts';
import { watchPage } from './kit/pages.ts';
import { type RandomSource, randomFrom } from './kit/random.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const quietLooks = 20;
const changeCount = Number(process.env.SVC_TEST_CHANGES ?? 24);
/** Each is a job of some seconds, there and back and there again. */
const mostPackageChanges = 3;
const packages = ['alphapack', 'gammapack', 'deltapack'] as const;

/** What of a notebook is on disk, but when it was written, and the numbers by which cells are ordered: deleting leaves gaps. */
function onDisk(server: TestServer, notebook: TestNotebook): Record<string, string> {
  const folder = path.resolve(server.home, notebook.path);
  const files = [
    'notebook.toml',
    'pyproject.toml',
    ...fs.readdirSync(path.join(folder, 'cells')).map((name) => `cells/${name}`),
  ];
  const read = (name: string) =>
    fs.readFileSync(path.join(folder, name), 'utf8').replaceAll(/^(?:updated_\w+|order) = .*\n/gm, '');
  return Object.fromEntries(files.toSorted().map((name) => [name, read(name)]));
}

/** What somebody else makes has one of these in its name, so that it can be told apart. */
const ofOther = /OTHER|other|betapack/;
const isOurs = (text: string): boolean => !ofOther.test(text);

/** Of the one whose changes are taken back. */
async function standing(notebook: TestNotebook) {
  const [{ name, cells, timeout, env, mounts = [] }, environment] = await Promise.all([
    notebook.state(),
    notebook.request('GET', '/environment'),
  ]);
  const { dependencies } = environmentBody.parse(environment.json);
  return {
    name,
    timeout,
    cells: cells.map(({ id, language, source }) => `${id} ${language} ${source}`).filter(isOurs),
    env: Object.entries(Object(env))
      .map(([variable, value]) => `${variable}=${value}`)
      .filter(isOurs)
      .toSorted(),
    mounts: mounts.map((mount) => `${mount.name} ${mount.uri}`).filter(isOurs),
    packages: dependencies.map((one) => `${one.name}${one.specifier}`).filter(isOurs),
  };
}
type Standing = Awaited<ReturnType<typeof standing>>;

interface Person {
  readonly page: Page;
  readonly random: RandomSource;
  count: number;
  packageChanges: number;
}

const searchFor = (page: Page, words: string): Promise<void> =>
  page.getByRole('searchbox', { name: 'Search settings' }).fill(words);

/** Of the chosen cell: its place among all, and which cells are of which language. */
interface Chosen {
  readonly at: number;
  readonly languages: readonly string[];
}

/** `changes` says whether there is something to do. */
const keys = (pressed: readonly string[], changes: (chosen: Chosen) => boolean = () => true) => ({
  async does({ page, random }: Person, languages: readonly string[]) {
    const at = random.below(languages.length);
    if (!changes({ at, languages })) return false;
    await page
      .locator('[role=listitem]')
      .nth(at)
      .click({ position: { x: 4, y: 4 } });
    for (const key of pressed) await page.keyboard.press(key);
    return true;
  },
});

const isLast = ({ at, languages }: Chosen): boolean => at === languages.length - 1;
const few = ({ languages }: Chosen): boolean => languages.length < 4;

/** Each by its name. */
const changes = {
  below: keys(['b']),
  above: keys(['a']),
  delete: keys(['d', 'd'], (chosen) => !few(chosen)),
  'delete two': keys(['Shift+J', 'd', 'd'], (chosen) => !few(chosen)),
  cut: keys(['x'], (chosen) => !few(chosen)),
  paste: keys(['c', 'v']),
  down: keys(['Alt+ArrowDown'], (chosen) => !isLast(chosen)),
  up: keys(['Alt+ArrowUp'], ({ at }) => at > 0),
  merge: keys(['Shift+M'], ({ at, languages }) => languages[at] === languages[at + 1]),
  markdown: keys(['m'], ({ at, languages }) => languages[at] !== 'markdown'),
  python: keys(['y'], ({ at, languages }) => languages[at] !== 'python'),
  duplicate: keys(['Shift+C']),
  rename: {
    async does({ page, count }: Person) {
      const name = page.getByRole('textbox', { name: 'Name of the notebook' });
      await name.fill(`Name ${count}`);
      await name.press('Enter');
      return true;
    },
  },
  variable: {
    async does({ page, count, random }: Person) {
      await searchFor(page, 'environment variables');
      const form = page.getByRole('form', { name: 'Environment variables' });
      const names = form.getByLabel('Name', { exact: true });
      const before = await names.count();
      if (before > 2 || (before > 0 && random.below(2) === 0))
        await form
          .getByRole('button', { name: /^Remove / })
          .nth(random.below(before))
          .click();
      else {
        await form.getByRole('button', { name: 'Add a variable' }).click();
        await names.last().fill(`MINE_${count}`);
        await form.getByLabel(`Value of MINE_${count}`).fill(String(count));
      }
      await form.getByRole('button', { name: 'Save' }).click();
      return true;
    },
  },
  mount: {
    async does({ page, count }: Person) {
      await searchFor(page, 'mounts');
      const form = page.getByRole('form', { name: 'Mounts' });
      await form.getByRole('button', { name: 'Add a mount' }).click();
      await form.getByLabel('Name', { exact: true }).fill(`mine_${count}`);
      await form.getByLabel('Address').fill(`file:///srv/mine/${count}`);
      await form.getByRole('button', { name: 'Save' }).click();
      return true;
    },
  },
  package: {
    async does(person: Person) {
      const { page, random } = person;
      if (person.packageChanges >= mostPackageChanges) return false;
      person.packageChanges += 1;
      await searchFor(page, 'package');
      const name = random.pick(packages);
      const remove = page.getByRole('button', { name: `Remove ${name}`, exact: true });
      await page.getByRole('button', { name: 'Remove pyarrow' }).waitFor();
      const isThere = (await remove.count()) > 0;
      if (isThere) await remove.click();
      else {
        await page.getByLabel('Packages to add').fill(name);
        await page.keyboard.press('Enter');
      }
      // The step is there to be taken back when the job is over.
      await remove.waitFor({ state: isThere ? 'detached' : 'visible' });
      return true;
    },
  },
  limit: {
    async does({ page, count }: Person) {
      await searchFor(page, 'timeout');
      const limit = page.getByRole('textbox', { name: 'Time limit of a cell' });
      await limit.fill(String(100 + count));
      await limit.press('Enter');
      return true;
    },
  },
  replace: {
    async does({ page, random, count }: Person) {
      await page.keyboard.press('ControlOrMeta+f');
      const dialog = page.getByRole('dialog', { name: 'Find in all cells' });
      await dialog.getByLabel('Find', { exact: true }).fill(random.pick(['a', 'b', '=', '1']));
      await dialog.getByLabel('Replace with').fill(`r${count}`);
      const all = dialog.getByRole('button', { name: 'Replace all' });
      await dialog.getByText(/place/).first().waitFor();
      const isThere = await all.isEnabled();
      if (isThere) await all.click();
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      return isThere;
    },
  },
};
const names = Object.keys(changes) as [keyof typeof changes, ...(keyof typeof changes)[]];

/** What stands after a change. Some are several requests: it stands when it has been the same for a while. */
async function changed(notebook: TestNotebook, before: Standing): Promise<Standing> {
  let now = before;
  let same = 0;
  const isDone = async () => {
    const next = await standing(notebook);
    same = isDeepStrictEqual(next, now) ? same + 1 : 0;
    now = next;
    return same > quietLooks && !isDeepStrictEqual(now, before);
  };
  await until(isDone, 'the end of a change', { seconds: 30 });
  return now;
}

/** Somebody else at the same notebook: a cell, a variable, a mount, a package of their own, one after the other. */
function createOther(notebook: TestNotebook) {
  const expect = async (answer: Promise<{ status: number; text: string }>): Promise<void> => {
    const { status, text } = await answer;
    assert.ok(status < 300, text);
  };
  const turns = [
    () => notebook.add('# OTHER\nother = 1').then(() => {}),
    async () => {
      const { env } = await notebook.state();
      await expect(notebook.request('PUT', '/env', { env: { ...Object(env), OTHER_VARIABLE: 'theirs' } }));
    },
    async () => {
      const { mounts = [] } = await notebook.state();
      const theirs = { name: 'other', uri: 'file:///srv/other', mode: 'ro' };
      await expect(notebook.request('PUT', '/mounts', { mounts: [...mounts, theirs] }));
    },
    async () => {
      const ended = notebook.socket.frame(
        ({ type, payload }) => type === 'environment_job_finished' && JSON.stringify(payload).includes('betapack'),
      );
      await expect(notebook.request('POST', '/environment/jobs', { action: 'add', package: 'betapack', wait: true }));
      await ended;
    },
  ];
  let next = 0;
  return {
    async acts(): Promise<void> {
      await turns[next++]?.();
    },
    async left() {
      const { cells, env, mounts = [] } = await notebook.state();
      const { dependencies } = environmentBody.parse((await notebook.request('GET', '/environment')).json);
      return {
        cells: cells.map(({ source }) => source.trim()).filter((source) => !isOurs(source)),
        env: Object.keys(Object(env)).filter((name) => !isOurs(name)),
        mounts: mounts.map(({ name }) => name).filter((name) => !isOurs(name)),
        packages: dependencies.map(({ name }) => name).filter((name) => !isOurs(name)),
      };
    },
  };
}

for (const isShared of [false, true])
  describe(isShared ? 'changes of all kinds, while somebody else makes theirs' : 'changes of all kinds', () => {
    it('are taken back one by one to where they began, and made again to where they ended', async (t) => {
      await using browser = await openBrowser(t);
      if (!browser.ready) return;
      const one = { '1.0': [] };
      await using index = await startPackageIndex({ alphapack: one, betapack: one, gammapack: one, deltapack: one });
      await using server = await startServer({ env: index.env });
      const notebook = await createTestNotebook(server, 'Begin here');
      for (const source of ['a = 1', 'b = a + 1', '# @name c\nc = b', 'd = 4']) await notebook.add(source);
      const page = await browser.newPage({ viewport: { width: 1400, height: 1600 } });
      const { problems } = watchPage(page, () => server.address);
      await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
      await page.getByText('connected', { exact: true }).waitFor();
      page.setDefaultTimeout(30_000);
      await page.getByRole('button', { name: 'Settings', exact: true }).click();
      const seed = Number(process.env.SVC_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
      t.diagnostic(`seed ${seed}`);
      const person: Person = { page, random: randomFrom(seed), count: 0, packageChanges: 0 };
      const other = createOther(notebook);
      const first = onDisk(server, notebook);
      const seen: Standing[] = [await standing(notebook)];
      const did: string[] = [];
      while (did.length < changeCount) {
        const name = person.random.pick(names);
        person.count += 1;
        const before = seen.at(-1) ?? assert.fail();
        const languages = before.cells.map((cell) => cell.split(' ')[1] ?? '');
        if (!(await changes[name].does(person, languages))) continue;
        seen.push(await changed(notebook, before));
        did.push(name);
      }
      const last = onDisk(server, notebook);
      t.diagnostic(did.join(', '));

      const stands = async (expected: Standing, what: string): Promise<void> => {
        let now: unknown;
        const isThere = async () => {
          now = await standing(notebook);
          return isDeepStrictEqual(now, expected);
        };
        await until(isThere, what, { seconds: 20 }).catch(() => {});
        const said = (await page.locator('.notices').allInnerTexts()).join(' ');
        assert.deepEqual(now, expected, `${what}: ${said}`);
      };
      /** Every so often the other one does something too. */
      const meanwhile = async (index: number): Promise<void> => {
        if (isShared && index % 4 === 1) await other.acts();
      };
      await page.getByRole('heading', { name: 'Settings' }).click();
      for (const [index, expected] of seen.slice(0, -1).entries().toArray().toReversed()) {
        await page.keyboard.press('ControlOrMeta+z');
        await stands(expected, `${did[index]} (${index}) taken back`);
        await meanwhile(index);
      }
      if (!isShared) assert.deepEqual(onDisk(server, notebook), first);
      for (const [index, expected] of seen.slice(1).entries()) {
        await page.keyboard.press('ControlOrMeta+Shift+z');
        await stands(expected, `${did[index]} (${index}) made again`);
        await meanwhile(index);
      }
      if (!isShared) assert.deepEqual(onDisk(server, notebook), last);
      if (isShared)
        assert.deepEqual(await other.left(), {
          cells: ['# OTHER\nother = 1'],
          env: ['OTHER_VARIABLE'],
          mounts: ['other'],
          packages: ['betapack'],
        });
      assert.deepEqual(problems, []);
    });
  });
