// Help from a model in a real browser: what is sent can be seen, a proposal is shown as a diff, and nothing changes before it is
// accepted.
import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import { describe, it } from 'node:test';
import { openBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { pieceOf, refuse, startProvider, stream } from './kit/provider.ts';
import { newHome, startServer } from './kit/server.ts';
import { until } from './kit/until.ts';

describe('help from a model', () => {
  it('fixes a failed cell: asked by the person, shown as a diff, accepted, taken back', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const provider = await startProvider();
    t.after(() => provider.close());
    await using server = await startServer({
      env: { SVC_AI_BASE_URL: provider.address, SVC_AI_MODEL: 'small', SVC_AI_API_KEY: 'server-key' },
    });
    const notebook = await createTestNotebook(server, 'Help');
    await notebook.run(await notebook.add('# @name load\nprices = [1, 2, 4711]'));
    const wrong = '# @name mean\ntotal = sum(prices)\ntotal / len(price)';
    const right = '# @name mean\ntotal = sum(prices)\ntotal / len(prices)';
    const cellId = await notebook.add(wrong);
    await notebook.run(cellId);
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const cell = page.getByRole('listitem', { name: /^mean/ });

    await cell.getByRole('button', { name: 'Fix this' }).click();
    const dialog = page.getByRole('dialog', { name: 'Fix mean' });
    await dialog.getByText(/^What is sent to small at 127\.0\.0\.1/).click();
    const sent = dialog.getByRole('region', { name: 'What is sent' });
    await sent.getByText('`prices`: list').waitFor();
    assert.doesNotMatch(await sent.innerText(), /4711/);
    await dialog.getByLabel(/^Send values/).check();
    await sent.getByText('4711').waitFor();
    await dialog.getByLabel(/^Send values/).uncheck();
    await sent.getByText('4711').waitFor({ state: 'detached' });
    const shown = await sent.innerText();
    await picture(page, 'assist-sent-light');
    await assertAccessible(page, 'what is sent');
    assert.equal(provider.asked.length, 0, 'nothing was asked so far');
    await dialog.getByText(/^What is sent to/).click();

    const rest = Promise.withResolvers<void>();
    provider.answers = [
      async (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(pieceOf(`\`\`\`python\n${right}\n`));
        await rest.promise;
        response.end(`${pieceOf('```\nThe list is called `prices`.')}data: [DONE]\n\n`);
      },
    ];
    await dialog.getByRole('button', { name: 'Ask small' }).click();
    await dialog.getByText('total / len(prices)').waitFor();
    await dialog.getByRole('button', { name: 'Stop' }).waitFor();
    await picture(page, 'assist-coming-light');
    const messages: { content: string }[] = Object(provider.asked[0]?.body).messages;
    assert.equal(squeezed(messages.map(({ content }) => content).join('')), squeezed(shown), 'what was shown was sent');
    rest.resolve();
    await dialog.locator('del', { hasText: 'total / len(price)' }).waitFor();
    await dialog.locator('ins', { hasText: 'total / len(prices)' }).waitFor();
    await dialog.getByText('The list is called prices.').waitFor();
    await picture(page, 'assist-diff-light');
    await assertAccessible(page, 'a proposal');
    assert.equal((await notebook.cell(cellId)).source, wrong, 'nothing changes before it is accepted');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 740 });
    await picture(page, 'assist-diff-dark-narrow');
    await assertAccessible(page, 'a proposal, dark and narrow');
    await assertFits(page, 'a proposal');

    await dialog.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('Changed as small proposed.').first().waitFor();
    const { source, updated_by } = await notebook.cell(cellId);
    assert.deepEqual([source, updated_by], [right, 'local with small']);
    await cell.getByText('with small', { exact: true }).waitFor();
    await page.setViewportSize({ width: 1280, height: 860 });
    await picture(page, 'assist-accepted-dark');
    const back = notebook.framesUntil(
      ({ type, payload }) => type === 'dag_update' && JSON.stringify(payload).includes('len(price)'),
    );
    await page.keyboard.press('ControlOrMeta+z');
    await back;
    assert.deepEqual((await notebook.cell(cellId)).source, wrong);
    assert.deepEqual(problems, []);
  });

  it('writes, edits and explains; is stopped; says what the provider said; and is refused when the text is another', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const provider = await startProvider();
    t.after(() => provider.close());
    await using server = await startServer({
      env: { SVC_AI_BASE_URL: provider.address, SVC_AI_MODEL: 'small', SVC_AI_API_KEY: 'server-key' },
    });
    const notebook = await createTestNotebook(server, 'More help');
    const cellId = await notebook.add('# @name one\nx = 1');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems, forget } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const cell = page.getByRole('listitem', { name: /^one/ });
    const choose = async (item: string) => {
      await cell.click({ position: { x: 4, y: 4 } });
      await cell.getByRole('button', { name: 'More for this cell' }).click();
      await page.getByRole('menuitem', { name: item }).click();
    };

    await choose('Explain this cell …');
    const explain = page.getByRole('dialog', { name: 'Explain one' });
    const gone = Promise.withResolvers<void>();
    provider.answers = [
      (response, _body, request) => {
        request.socket.on('close', () => gone.resolve());
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(pieceOf('It begins'));
      },
      refuse(429, 'no money left'),
      stream('It gives **x** a value.'),
    ];
    await explain.getByRole('button', { name: 'Ask small' }).click();
    await explain.getByText('It begins').waitFor();
    await explain.getByRole('button', { name: 'Stop' }).click();
    await gone.promise;
    await explain.getByRole('button', { name: 'Ask small' }).click();
    await explain.getByText(/The provider answered HTTP 429 for model 'small'.*no money left/).waitFor();
    await picture(page, 'assist-refused-light');
    await explain.getByRole('button', { name: 'Ask again' }).click();
    await explain.getByText('It gives x a value.').waitFor();
    await explain.getByRole('button', { name: 'Close', exact: true }).last().click();

    await choose('Edit this cell with a model …');
    const edit = page.getByRole('dialog', { name: 'Edit one with a model' });
    provider.answers = [stream('```python\n# @name one\nx = 2\n```')];
    await edit.getByLabel('What should change?').fill('make it two');
    await page.keyboard.press('ControlOrMeta+Enter');
    await edit.locator('ins', { hasText: 'x = 2' }).waitFor();
    const path = `${notebook.path}/cells/${cellId}.py`;
    await fs.writeFile(path, '# @name one\nx = 3');
    await edit.getByRole('button', { name: 'Accept' }).click();
    await edit.getByText(/was changed meanwhile/).waitFor();
    forget(); // the browser tells of every refusal
    assert.equal(await fs.readFile(path, 'utf8'), '# @name one\nx = 3');
    await edit.getByRole('button', { name: 'Discard' }).click();

    await choose('Write a cell with a model …');
    const write = page.getByRole('dialog', { name: 'Write a cell with a model' });
    provider.answers = [stream('```python\ny = x + 1\n```')];
    await write.getByLabel('What should the cell do?').fill('one more');
    await write.getByRole('button', { name: 'Ask small' }).click();
    await write.getByRole('button', { name: 'Add this cell' }).click();
    await page.getByRole('listitem', { name: /^y, python/ }).waitFor();
    const { cells } = await notebook.state();
    assert.deepEqual(
      cells.map(({ source, created_by }) => [source, created_by]),
      [
        ['# @name one\nx = 3', 'local'],
        ['y = x + 1', 'local with small'],
      ],
    );
    assert.deepEqual(problems, []);
  });

  it('keeps what was asked when the server dies in the middle of an answer, and says so', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const provider = await startProvider();
    t.after(() => provider.close());
    const home = newHome();
    const env = { SVC_AI_BASE_URL: provider.address, SVC_AI_MODEL: 'small', SVC_AI_API_KEY: 'server-key' };
    const first = await startServer({ home, env });
    const { port } = new URL(first.address);
    const notebook = await createTestNotebook(first, 'Dies');
    await notebook.add('# @name one\nx = 1');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    await page.goto(`${first.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('write a cell with');
    await page.getByRole('option', { name: /Write a cell with a model/ }).click();
    const field = page.getByLabel('What should the cell do?');
    await field.fill('a box plot, sorted by median');
    provider.answers = [
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(pieceOf('It begins'));
      },
      (response) => response.writeHead(502).end('<html><h1>Bad gateway</h1></html>'),
    ];
    await page.getByRole('button', { name: 'Ask small' }).click();
    await page.getByText('It begins').waitFor();
    await first.stop('SIGKILL');
    await page.getByText('The answer broke off: the connection is gone. Ask again.').waitFor();
    await using second = await startServer({ home, env: { ...env, SVC_PORT: port } });
    await page.getByRole('button', { name: 'Ask small' }).waitFor();
    assert.equal(await field.inputValue(), 'a box plot, sorted by median');
    await page.getByRole('button', { name: 'Ask small' }).click();
    await page.getByText("The provider answered HTTP 502 for model 'small': Bad gateway", { exact: true }).waitFor();
    assert.ok(second.address.includes(port));
  });

  it('goes on with what is typed once it is switched on: grey, taken by Tab, gone with Escape, taken back by the next key', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const provider = await startProvider();
    t.after(() => provider.close());
    await using server = await startServer({
      env: { SVC_AI_BASE_URL: provider.address, SVC_AI_MODEL: 'small', SVC_AI_API_KEY: 'server-key' },
    });
    const notebook = await createTestNotebook(server, 'Typing');
    await notebook.run(await notebook.add('# @name load\nprices = [1, 2, 4711]'));
    const cellId = await notebook.add('# @name total\na =');
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    await page.getByText('connected', { exact: true }).waitFor();
    const cell = page.getByRole('listitem', { name: /^total/ });
    const ghost = cell.locator('.ghost-text');
    const source = async () => (await notebook.cell(cellId)).source;
    const saved = (text: string) =>
      until(async () => (await source()) === text, `the cell is ${text}`, { seconds: 30 });

    await cell.locator('.code').click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(' 1');
    await saved('# @name total\na = 1');
    await page.keyboard.press('Escape');
    await page.keyboard.press('ControlOrMeta+k');
    await page.keyboard.type('go on with what');
    assert.equal(provider.asked.length, 0, 'nobody was asked before it was switched on');
    await page.getByRole('option', { name: /Let small go on with what you type/ }).click();
    await page
      .getByText(/When you pause, small at 127\.0\.0\.1:\d+ is sent the cell/)
      .first()
      .waitFor();

    const gone = Promise.withResolvers<void>();
    provider.answers = [
      (response, _body, request) => {
        request.socket.on('close', () => gone.resolve());
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(pieceOf('```python\n2'));
      },
      stream('```python\nsum(prices)\nmean = total / len(prices)\n```'),
      stream('```python\n + 1\n```'),
    ];
    await cell.locator('.code').click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type('\ntotal =');
    await until(() => provider.asked.length === 1, 'the model is asked');
    await page.keyboard.type(' ');
    await gone.promise;
    await ghost.waitFor();
    assert.equal(await ghost.innerText(), 'sum(prices)\nmean = total / len(prices)');
    await picture(page, 'assist-typing-light');
    const messages: { content: string }[] = Object(provider.asked[1]?.body).messages;
    assert.match(
      messages[1]?.content ?? '',
      /\ntotal = <\|cursor\|>\n```\n\nNames that other cells define:\n- `prices`: list/,
    );
    assert.doesNotMatch(messages[1]?.content ?? '', /4711/);
    await saved('# @name total\na = 1\ntotal = ');
    await page.keyboard.type('su');
    assert.equal(
      await ghost.innerText(),
      'm(prices)\nmean = total / len(prices)',
      'whoever types along keeps the rest',
    );
    await page.keyboard.press('Tab');
    await ghost.waitFor({ state: 'detached' });
    const taken = '# @name total\na = 1\ntotal = sum(prices)\nmean = total / len(prices)';
    await saved(taken);
    assert.equal((await notebook.cell(cellId)).updated_by, 'local with small');

    await page.keyboard.type(' ');
    await ghost.waitFor();
    await page.keyboard.press('Escape');
    await ghost.waitFor({ state: 'detached' });
    await saved(`${taken} `);
    await page.keyboard.press('Backspace');
    await saved(taken);
    assert.equal((await notebook.cell(cellId)).updated_by, 'local', 'what a person typed last is theirs');

    provider.answers = [refuse(429, 'no money left')];
    await page.keyboard.type('\n');
    await page
      .getByText(/no money left.*not asked while you type any more/)
      .first()
      .waitFor();
    await page.keyboard.type('b = 2');
    await saved(`${taken}\nb = 2`);
    assert.equal(provider.asked.length, 4);
    assert.deepEqual(problems, []);
  });
});

/** Spaces are the page's own. */
const squeezed = (text: string): string => text.replace(/\s+/g, '');
