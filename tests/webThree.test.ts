// Three people in one notebook of a shared server, each in a browser of their own.
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import type { Page } from 'playwright-core';
import { openBrowser } from './kit/browser.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { createRest } from './kit/rest.ts';
import { startServer } from './kit/server.ts';
import { proxyEnvironment } from './kit/service.ts';
import { until } from './kit/until.ts';
import { vouchingFor } from './kit/vouching.ts';

const scopes = 'notebook:read notebook:write notebook:execute';
const people = ['ann', 'bob', 'eve'] as const;
const cellAt = (page: Page, at: number) => page.locator('[data-cell]').nth(at);

/** `together`: does its work with the pages of the three and with the sources on the server. */
async function three(
  t: TestContext,
  first: readonly string[],
  together: (pages: Record<(typeof people)[number], Page>, sources: () => Promise<string[]>) => Promise<void>,
): Promise<void> {
  await using browser = await openBrowser(t);
  if (!browser.ready) return;
  await using server = await startServer({ env: { ...proxyEnvironment, SVC_NOTEBOOK_CELL_LOCK_SECONDS: '0' } });
  await using closing = new AsyncDisposableStack();
  const addresses = new Map<string, string>();
  for (const principal of people)
    addresses.set(principal, closing.use(await vouchingFor({ principal, scopes }, () => server.address)).address);
  const rest = createRest(addresses.get('ann') ?? '');
  const made = await rest.post('/v1/notebooks/create', { json: { parent_path: '.', name: 'Three' } });
  const at = `/v1/notebooks/${Object(made.json).session_id}/cells`;
  for (const source of first) await rest.post(at, { json: { source } });
  const sources = async (): Promise<string[]> =>
    Object((await rest.get(at)).json).cells.map(({ source }: { source: string }) => source);
  const open = async (principal: string): Promise<Page> => {
    const page = await browser.newPage({ viewport: { width: 1000, height: 700 } });
    await page.goto(addresses.get(principal) ?? '');
    await page.getByText('Three', { exact: true }).first().click();
    await page.getByText('connected', { exact: true }).waitFor();
    await cellAt(page, first.length - 1).waitFor();
    return page;
  };
  await together({ ann: await open('ann'), bob: await open('bob'), eve: await open('eve') }, sources);
}

async function edit(page: Page, at: number): Promise<void> {
  await cellAt(page, at).click({ position: { x: 4, y: 4 } });
  await page.keyboard.press('Escape');
  await page.keyboard.press('Enter');
  await cellAt(page, at).locator('.cm-content').waitFor();
  await page.keyboard.press('Control+End');
}

async function isOnServer(sources: () => Promise<string[]>, wanted: readonly string[]): Promise<void> {
  let found: readonly string[] = [];
  const isSame = async () => {
    found = await sources();
    return isDeepStrictEqual(found, wanted);
  };
  await until(isSame, 'the server has it', { seconds: 20 }).catch(() => assert.deepEqual(found, wanted));
}

describe('three people in one notebook', () => {
  it('keep what each wrote in one cell at once, and are told who wrote the rest', async (t) => {
    await three(t, ['a = 1'], async ({ ann, bob, eve }, sources) => {
      const { problems } = watchPage(bob, () => bob.url());
      for (const page of [ann, bob, eve]) await edit(page, 0);
      await Promise.all([
        ann.keyboard.type('\nann = 1'),
        bob.keyboard.type('\nbob = 1'),
        eve.keyboard.type('\neve = 1'),
      ]);
      const both = (page: Page) => page.getByRole('button', { name: 'Keep both' });
      const asked = async (): Promise<Page | undefined> => {
        for (const page of [ann, bob, eve]) if (await both(page).isVisible()) return page;
        return undefined;
      };
      // Whoever was first is not asked; the others put their lines below what is there.
      const all = ['a = 1', 'ann = 1', 'bob = 1', 'eve = 1'];
      const lines = async () => ((await sources())[0] ?? '').split('\n').toSorted();
      await until(async () => {
        const page = await asked();
        if (page) {
          await page.getByText(/^(ann|bob|eve) changed this cell while you were typing\.$/).waitFor();
          await picture(page, 'three-conflict-light');
          await both(page).click();
        }
        return (await lines()).join() === all.join();
      }, 'all three lines are there');
      for (const page of [ann, bob, eve])
        await until(async () => {
          const shown = await cellAt(page, 0).locator('.cm-line').allInnerTexts();
          return shown.length === 4 && !(await both(page).isVisible());
        }, 'everybody sees all lines');
      assert.deepEqual(
        problems.filter((one) => !one.startsWith('asked for')),
        [],
      );
    });
  });

  it('lose nothing when one deletes the cell that another writes in; undo brings it back', async (t) => {
    await three(t, ['a = 1', 'b = 2', 'c = 3'], async ({ ann, bob, eve }, sources) => {
      await edit(bob, 2);
      await bob.keyboard.type(' + 4');
      await isOnServer(sources, ['a = 1', 'b = 2', 'c = 3 + 4']);
      await cellAt(ann, 2).click({ position: { x: 4, y: 4 } });
      await ann.keyboard.press('Escape');
      await ann.keyboard.press('d');
      await ann.keyboard.press('d');
      await cellAt(bob, 2).waitFor({ state: 'detached' });
      // Bob has not looked up yet: these would delete cells and open panels.
      await bob.keyboard.type(' + add(3, 4)\ndd');
      await bob.getByText('A cell that you were editing was deleted elsewhere. Your text is kept.').waitFor();
      assert.deepEqual(await sources(), ['a = 1', 'b = 2']);
      assert.equal(await bob.locator('.with-panel').count(), 0);
      await picture(bob, 'three-deleted-light');
      await assertAccessible(bob, 'a cell that was deleted elsewhere');
      // What could not be added stays until it can.
      const adding = '**/v1/notebooks/*/cells';
      await bob.route(adding, (route) => route.abort());
      await bob.getByRole('button', { name: 'Bring it back' }).click();
      await bob.getByText('The server does not answer.').waitFor();
      await bob.unroute(adding);
      await bob.getByRole('button', { name: 'Bring it back' }).click();
      await isOnServer(sources, ['a = 1', 'b = 2', 'c = 3 + 4 + add(3, 4)\ndd']);

      await ann.keyboard.press('z');
      await ann.getByText('Undid deleting a cell.').first().waitFor();
      await until(async () => (await sources()).includes('c = 3 + 4'), 'the cell is back');
      await ann.keyboard.press('Shift+Z');
      await ann.getByText('Redid deleting a cell.').first().waitFor();
      await until(async () => !(await sources()).includes('c = 3 + 4'), 'the cell is gone again');
      assert.equal(await eve.getByText('deleted elsewhere').count(), 0);
    });
  });

  it('undo only what is still theirs: formatting, an added cell, the name', async (t) => {
    await three(t, ['a=1', 'b = 1\nc = 2'], async ({ ann, bob, eve }, sources) => {
      await cellAt(ann, 0).click({ position: { x: 4, y: 4 } });
      await ann.keyboard.press('Shift+Alt+f');
      await isOnServer(sources, ['a = 1', 'b = 1\nc = 2']);
      await cellAt(bob, 0).getByText('a = ').waitFor();
      await edit(bob, 0);
      await bob.keyboard.type('0');
      await isOnServer(sources, ['a = 10', 'b = 1\nc = 2']);
      await bob.keyboard.press('Escape');
      await ann.keyboard.press('ControlOrMeta+z');
      await ann.getByText(/^Could not undo formatting a cell: the cell has been written in since\./).waitFor();
      assert.deepEqual(await sources(), ['a = 10', 'b = 1\nc = 2']);
      await ann.getByRole('button', { name: 'Skip this step' }).click();

      await cellAt(ann, 0).click({ position: { x: 4, y: 4 } });
      await ann.keyboard.press('Escape');
      await ann.keyboard.press('b');
      await cellAt(bob, 2).waitFor();
      await edit(bob, 1);
      await bob.keyboard.type('by_bob = 1');
      const withBob = ['a = 10', 'by_bob = 1', 'b = 1\nc = 2'];
      await isOnServer(sources, withBob);
      await ann.keyboard.press('ControlOrMeta+z');
      await ann.getByText('Could not undo adding a cell: bob has written in the cell since, so it stays.').waitFor();
      assert.deepEqual(await sources(), withBob);
      await ann.getByRole('button', { name: 'Skip this step' }).click();

      const name = (page: Page) => page.getByRole('textbox', { name: 'Name of the notebook' });
      // Eve is still typing another name while Ann's comes.
      await name(eve).fill('Eve is not d');
      await name(ann).fill('By Ann');
      await name(ann).press('Enter');
      await until(async () => (await name(bob).inputValue()) === 'By Ann', 'Bob sees the name');
      await eve.keyboard.type('one');
      assert.equal(await name(eve).inputValue(), 'Eve is not done');
      await eve.keyboard.press('Enter');
      await until(async () => (await name(ann).inputValue()) === 'Eve is not done', 'Ann sees the name of Eve');
      await cellAt(ann, 0).click({ position: { x: 4, y: 4 } });
      await ann.keyboard.press('Escape');
      await ann.keyboard.press('ControlOrMeta+z');
      await ann
        .getByText('Could not undo renaming the notebook: it has been called Eve is not done since.')
        .first()
        .waitFor();
    });
  });

  it('comment, each under their own name, and see who leaves', async (t) => {
    await three(t, ['# @name first\na = 1'], async (pages) => {
      const { ann, bob, eve } = pages;
      for (const [person, page] of Object.entries(pages)) {
        await page.getByRole('button', { name: 'More for this cell' }).first().click();
        await page.getByRole('menuitem', { name: 'Comments' }).click();
        await page.getByLabel('A comment').fill(`says ${person}`);
        await page.getByLabel('A comment').press('Control+Enter');
        await page.locator('.comment-text').getByText(`says ${person}`).waitFor();
      }
      for (const page of [ann, bob, eve]) {
        await until(async () => (await page.locator('.comment-head strong').count()) === 3, 'everybody sees all three');
        assert.deepEqual(await page.locator('.comment-head strong').allInnerTexts(), [...people]);
      }
      // Each may edit what they said themselves.
      assert.equal(await bob.getByRole('button', { name: 'Edit', exact: true }).count(), 1);
      await eve.context().setOffline(true);
      await eve.close();
      for (const page of [ann, bob])
        await page
          .getByLabel(/^eve\b/)
          .first()
          .waitFor({ state: 'detached' });
      await bob.emulateMedia({ colorScheme: 'dark' });
      await bob.setViewportSize({ width: 400, height: 760 });
      await picture(bob, 'three-comments-dark-narrow');
      await assertAccessible(bob, 'comments of three');
      await assertFits(bob, 'comments of three');
      // Ann's line breaks and comes back: she is there once, and so is Bob.
      await ann.context().setOffline(true);
      await ann.context().setOffline(false);
      await ann.getByText('connected', { exact: true }).waitFor();
      await until(async () => (await bob.locator('.others > *').count()) === 1, 'Bob sees Ann once');
    });
  });
});
