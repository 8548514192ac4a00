// Help while typing, in a real browser: what is offered, what takes it, and what a name means.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, picture, watchPage } from './kit/pages.ts';
import { startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

describe('while somebody types in a cell', () => {
  it('offers members and keys, takes them by Tab, and explains a call', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Typing');
    const maker = await notebook.add('prices = {"apple": 1, "pear": 2}');
    const reader = await notebook.add('prices');
    await notebook.run(reader);
    // The first question of a server reads for seconds.
    await notebook.request('POST', `/cells/${reader}/complete`, { source: 'prices.', offset: 7 });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page
      .getByRole('listitem', { name: /python/ })
      .nth(1)
      .locator('.code')
      .first()
      .click();
    await page.keyboard.press('Control+a');

    await page.keyboard.type('prices.ite');
    const offered = page.getByRole('listbox', { name: 'Completions' });
    // The editor gives a list no key within 75 ms of its opening: that one was meant for the text.
    const isOffered = async (name: string) => {
      await offered.getByRole('option', { name }).waitFor();
      await page.evaluate('new Promise((done) => setTimeout(done, 100))');
    };
    await isOffered('items');
    await picture(page, 'hints-members');
    await assertAccessible(page, 'a list of completions');
    await page.keyboard.press('Tab');
    await page.keyboard.type('()');
    await page.keyboard.press('Enter');
    await page.keyboard.type('prices["');
    await isOffered('pear');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.press('End');
    await page.keyboard.press('Enter');

    // Enter is a new line, whatever is offered.
    await page.keyboard.type('sorte');
    await isOffered('sorted');
    await page.keyboard.press('Enter');
    await page.keyboard.type('sorted(');
    await page.keyboard.press('Shift+Tab');
    const help = page.getByRole('region', { name: 'Help' });
    await help.getByText(/^sorted\(/).waitFor();
    await help
      .getByText(/ascending order/)
      .first()
      .waitFor();
    await picture(page, 'hints-help');
    await assertAccessible(page, 'help beside a name');
    await page.keyboard.press('Escape');
    await help.waitFor({ state: 'detached' });
    await page.keyboard.type('prices');
    await page.keyboard.press('Shift+Enter');
    await page.getByRole('region', { name: 'Error' }).getByText('NameError').waitFor();
    const { source } = await notebook.cell(reader);
    assert.equal(source, 'prices.items()\nprices["pear"]\nsorte\nsorted(prices)');
    assert.equal((await notebook.cell(maker)).status, 'ready');
    assert.deepEqual(problems, []);
  });
});

describe('what is offered', () => {
  it('after a call, in the name of a file and in a long list that keys reach', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Offered');
    const id = await notebook.add('open("quarterly.csv", "w").close()');
    // The list lies over this one and not half over a button.
    await notebook.add('# a line of its own\n'.repeat(30));
    await notebook.run(id);
    await notebook.request('POST', `/cells/${id}/complete`, { source: 'sorted([]).', offset: 11 });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.locator('.code').first().click();
    const offered = page.getByRole('listbox', { name: 'Completions' });
    const type = async (text: string): Promise<void> => {
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
      await page.keyboard.type(text);
    };
    await type('sorted([]).app');
    await offered.getByRole('option', { name: 'append' }).waitFor();
    await type('open("quar');
    await offered.getByRole('option', { name: 'quarterly.csv' }).waitFor();
    await type('str.');
    await offered.getByRole('option', { name: 'zfill' }).waitFor({ state: 'attached' });
    assert.equal(await offered.getAttribute('tabindex'), '0');
    await assertAccessible(page, 'a long list of completions');
    assert.deepEqual(problems, []);
  });

  it('is taken by Tab and closed by Escape also while the server has not answered', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    await using server = await startServer();
    const notebook = await createTestNotebook(server, 'Slow');
    await notebook.add('quarterly_sales = 1');
    const id = await notebook.add('# here');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.route('**/complete', () => {});
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('# here').click();
    await page.keyboard.press('Control+End');
    const offered = page.getByRole('listbox', { name: 'Completions' }).getByRole('option', { name: 'quarterly_sales' });
    const isOffered = async () => {
      await offered.waitFor();
      await page.evaluate('new Promise((done) => setTimeout(done, 100))');
    };
    await page.keyboard.type('\nquart');
    await isOffered();
    await page.keyboard.press('Tab');
    await page.keyboard.type(' + quar');
    await isOffered();
    await page.keyboard.press('Escape');
    await offered.waitFor({ state: 'detached' });
    await page.keyboard.type('d');
    const wanted = '# here\nquarterly_sales + quard';
    let found = '';
    const isSaved = async () => {
      found = (await notebook.cell(id)).source;
      return found === wanted;
    };
    await until(isSaved, 'it is saved', { seconds: 20 }).catch(() => assert.equal(found, wanted));
  });
});
