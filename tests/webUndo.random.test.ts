// Long random sequences of changes in a real browser, cells and settings mixed: taken back one by one they lead to where it
// began, made again to where it ended, in the page and on disk. SVC_TEST_SEED repeats a run.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { watchPage } from './kit/pages.ts';
import { type RandomSource, randomFrom } from './kit/random.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { until } from './kit/until.ts';

const quietLooks = 20;
const changeCount = Number(process.env.SVC_TEST_CHANGES ?? 24);

/** What of a notebook is on disk, but when it was written, and the numbers by which cells are ordered: deleting leaves gaps. */
function onDisk(server: TestServer, notebook: TestNotebook): Record<string, string> {
  const folder = path.resolve(server.home, notebook.path);
  const files = ['notebook.toml', ...fs.readdirSync(path.join(folder, 'cells')).map((name) => `cells/${name}`)];
  const read = (name: string) =>
    fs.readFileSync(path.join(folder, name), 'utf8').replaceAll(/^(?:updated_\w+|order) = .*\n/gm, '');
  return Object.fromEntries(files.toSorted().map((name) => [name, read(name)]));
}

async function standing(notebook: TestNotebook) {
  const { name, cells, timeout } = await notebook.state();
  return {
    name,
    timeout,
    cells: cells.map(({ id, language, source }) => `${id} ${language} ${source}`),
  };
}
type Standing = Awaited<ReturnType<typeof standing>>;

interface Person {
  readonly page: Page;
  readonly random: RandomSource;
  count: number;
}

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
  limit: {
    async does({ page, count }: Person) {
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

describe('changes of all kinds', () => {
  it('are taken back one by one to where they began, and made again to where they ended', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Begin');
    for (const source of ['a = 1', 'b = a + 1', '# @name c\nc = b', 'd = 4']) await notebook.add(source);
    const page = await browser.newPage({ viewport: { width: 1400, height: 1600 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    page.setDefaultTimeout(30_000);
    await page.getByRole('button', { name: 'Settings', exact: true }).click();
    await page.getByRole('searchbox', { name: 'Search settings' }).fill('timeout');
    const seed = Number(process.env.SVC_TEST_SEED ?? Math.floor(Math.random() * 2 ** 31));
    t.diagnostic(`seed ${seed}`);
    const person: Person = { page, random: randomFrom(seed), count: 0 };
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
    await page.getByRole('heading', { name: 'Settings' }).click();
    for (const [index, expected] of seen.slice(0, -1).entries().toArray().toReversed()) {
      await page.keyboard.press('ControlOrMeta+z');
      await stands(expected, `${did[index]} (${index}) taken back`);
    }
    assert.deepEqual(onDisk(server, notebook), first);
    for (const [index, expected] of seen.slice(1).entries()) {
      await page.keyboard.press('ControlOrMeta+Shift+z');
      await stands(expected, `${did[index]} (${index}) made again`);
    }
    assert.deepEqual(onDisk(server, notebook), last);
    assert.deepEqual(problems, []);
  });
});
