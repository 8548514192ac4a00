// The environment of a notebook from its page: several packages at once, changes that wait in line, versions from the index, and
// lists that are imported after a look at what they would change.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { startPackageIndex } from './kit/packageIndex.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { hasR, renvEnvironment, withoutRenv } from './kit/renv.ts';
import { newHome, startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

it('adds several packages, lets others wait, looks up versions, imports a list and goes back', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  const one = { '1.0': [] };
  const names = ['alphapack', 'betapack', 'gammapack', 'deltapack', 'epsilonpack'];
  await using index = await startPackageIndex(
    { ...Object.fromEntries(names.map((name) => [name, one])), alphapack: { '1.0': [], '2.0': [] } },
    { answersIn: 'json' },
  );
  await using server = await startServer({ env: index.env });
  const notebook = await createTestNotebook(server, 'Packages');
  const project = () => fs.readFileSync(path.resolve(server.home, notebook.path, 'pyproject.toml'), 'utf8');
  const declared = (): string[] => names.filter((name) => project().includes(`"${name}`));
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Environment', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Environment' });
  const field = panel.getByLabel('Packages to add');

  await field.fill('alphapack==1.0, betapack');
  await panel.getByRole('button', { name: 'Add 2' }).click();
  await panel.getByRole('button', { name: 'Remove betapack' }).waitFor();
  await panel.getByRole('button', { name: 'Remove alphapack' }).waitFor();
  for (const line of ['"alphapack==1.0"', '"betapack>=1.0"']) assert.ok(project().includes(line), project());

  // While one is installed, others wait; one of them is taken back.
  const held = index.hold('gammapack');
  await field.fill('gammapack');
  await page.keyboard.press('Enter');
  await held.asked;
  for (const name of ['deltapack', 'epsilonpack']) {
    await field.fill(name);
    await page.keyboard.press('Enter');
    await panel.getByRole('list', { name: 'Waiting' }).getByText(`add ${name}`).waitFor();
  }
  await picture(page, 'environment-queue-light');
  await assertAccessible(page, 'packages that wait');
  await panel.getByRole('button', { name: 'Cancel add epsilonpack' }).click();
  held.release();
  await panel.getByRole('button', { name: 'Remove deltapack' }).waitFor();
  assert.deepEqual(declared(), ['alphapack', 'betapack', 'gammapack', 'deltapack']);

  // One that fails is told, and stays to be read when the next has taken its place.
  const later = index.hold('nosuchpack');
  await field.fill('nosuchpack');
  await page.keyboard.press('Enter');
  await later.asked;
  await field.fill('epsilonpack');
  await page.keyboard.press('Enter');
  await panel.getByRole('list', { name: 'Waiting' }).getByText('add epsilonpack').waitFor();
  later.release();
  await page.getByText(/^uv add nosuchpack: Because nosuchpack was not found/).waitFor();
  await panel.getByRole('button', { name: 'Remove epsilonpack' }).click();
  await panel.getByText('uv add nosuchpack · just now').click();
  await panel.getByText(/nosuchpack was not found/).waitFor();
  await picture(page, 'environment-failed-before');
  await assertAccessible(page, 'a job that failed before');
  await until(() => !declared().includes('epsilonpack'), 'epsilonpack to be gone');

  await field.fill('alphapack');
  await panel.getByRole('button', { name: 'Versions of alphapack' }).click();
  const versions = panel.getByRole('combobox', { name: 'Version of alphapack' });
  await versions.waitFor();
  assert.deepEqual(
    (await versions.locator('option').allInnerTexts()).map((text) => text.replace(/[\d.]+ (?=\w*B$)/, 'n ')),
    ['2.0 · n B', '1.0 · n B'],
  );
  await picture(page, 'environment-versions-light');
  await assertAccessible(page, 'versions of a package');
  await panel.getByRole('button', { name: 'Add this version' }).click();
  await until(() => project().includes('"alphapack==2.0"'), 'alphapack 2.0 to be declared');
  await panel.getByText('Last job').waitFor();

  // What a list would do is seen before it is done.
  const list = 'alphapack==1.0\nepsilonpack\n';
  await panel.getByLabel('File with packages').setInputFiles({
    name: 'requirements.txt',
    mimeType: 'text/plain',
    buffer: Buffer.from(list),
  });
  const preview = panel.getByRole('region', { name: 'What requirements.txt would change' });
  await preview.waitFor();
  assert.deepEqual(
    (await preview.locator('.panel-note, li').allInnerTexts()).filter((text) => /pack|ed$/.test(text)),
    [
      'Added',
      'epsilonpack',
      'Changed',
      'alphapack==2.0 → alphapack==1.0',
      'Removed',
      'betapack>=1.0',
      'deltapack>=1.0',
      'gammapack>=1.0',
    ],
  );
  assert.deepEqual(declared(), ['alphapack', 'betapack', 'gammapack', 'deltapack']);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 380, height: 780 });
  await preview.scrollIntoViewIfNeeded();
  await picture(page, 'environment-import-dark-narrow');
  await assertFits(page, 'an import, narrow');
  await assertAccessible(page, 'an import, dark and narrow');
  await page.setViewportSize({ width: 1280, height: 860 });
  await preview.getByRole('button', { name: 'Import' }).click();
  await panel.getByRole('button', { name: 'Remove epsilonpack' }).waitFor();
  assert.deepEqual(declared(), ['alphapack', 'epsilonpack']);

  await panel.getByRole('heading', { name: 'Environment' }).click();
  await page.keyboard.press('Control+z');
  await page.getByText('Undid importing requirements.txt.').first().waitFor();
  await panel.getByRole('button', { name: 'Remove gammapack' }).waitFor();
  assert.deepEqual(declared(), ['alphapack', 'betapack', 'gammapack', 'deltapack']);
  assert.deepEqual(problems, []);
  await page.close();
});

it('what is run while a package is installed waits for it, and begins by itself', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using index = await startPackageIndex({ alphapack: { '1.0': [] }, betapack: { '1.0': [] } });
  await using server = await startServer({ env: index.env });
  const notebook = await createTestNotebook(server, 'Waits');
  await notebook.add('# @name one\nimport alphapack\nalphapack.VERSION');
  await notebook.add('# @name other\n40 + 2');
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  const cell = (name: RegExp) => page.getByRole('listitem', { name });

  const first = index.hold('alphapack');
  await notebook.request('POST', '/environment/jobs', { action: 'add', packages: ['alphapack'], wait: false });
  await first.asked;
  await cell(/^one/).getByRole('button', { name: 'Run', exact: true }).click();
  await cell(/^one/).getByText('waits for the environment').waitFor();
  await picture(page, 'waits-for-environment');
  await assertAccessible(page, 'a cell that waits for the environment');
  first.release();
  await cell(/^one, python, ready/)
    .getByText('1.0')
    .waitFor();

  const second = index.hold('betapack');
  await notebook.request('POST', '/environment/jobs', { action: 'add', packages: ['betapack'], wait: false });
  await second.asked;
  await page.getByRole('button', { name: /^Run 1 cell/ }).click();
  await page.getByText('the cells run when it is ready').waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.getByRole('button', { name: /^Run 1 cell/ }).click();
  await page.getByText('the cells run when it is ready').waitFor();
  second.release();
  await cell(/^other, python, ready/)
    .getByText('42')
    .waitFor();
});

it('R packages are set up, added and listed; one that is not there is told', { skip: withoutRenv }, async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  const home = newHome();
  await using server = await startServer({ home, env: renvEnvironment(home) });
  const notebook = await createTestNotebook(server, 'In R');
  const page = await browser.newPage({ viewport: { width: 1100, height: 800 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Environment', exact: true }).click();
  const panel = page.getByRole('complementary', { name: 'Environment' });
  await panel.getByRole('button', { name: 'Set up R packages for this notebook' }).click();
  await panel.getByText('3 R packages').waitFor();
  const add = async (name: string): Promise<void> => {
    await panel.getByLabel('R package to add').fill(name);
    await page.keyboard.press('Enter');
  };
  await add('tinyr');
  await panel.getByText('4 R packages').click();
  await panel.getByRole('listitem').filter({ hasText: 'tinyr' }).getByText('1.0').waitFor();
  await add('nosuch');
  await panel
    .getByText(/package 'nosuch' is not available/)
    .first()
    .waitFor();
  await panel.getByText('4 R packages').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 800 });
  await panel.getByLabel('R package to add').scrollIntoViewIfNeeded();
  await picture(page, 'r-packages-dark-narrow');
  await assertAccessible(page, 'R packages, dark and narrow');
  await assertFits(page, 'R packages');
  assert.deepEqual(problems, []);
});

it('a package that a cell misses is offered by its own name, and one of R goes into the R library', async (t) => {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Missing');
  await notebook.run(await notebook.add('import sklearn.svm'));
  const page = await browser.newPage();
  // The page comes when it has failed already.
  await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
  await page.getByRole('button', { name: 'Install scikit-learn', exact: true }).waitFor();
  if (!hasR()) return;
  const added = await notebook.request('POST', '/cells', { language: 'r', source: 'library(nosuchpackage)' });
  const { id }: { id: string } = JSON.parse(added.text);
  await notebook.run(id);
  const asked = page.waitForRequest((request) => request.method() === 'POST' && request.url().endsWith('/jobs'));
  await page.getByRole('button', { name: 'Install nosuchpackage', exact: true }).click();
  assert.deepEqual((await asked).postDataJSON(), { action: 'r_init', wait: false });
});
