// Questions of cells on the page: a line, a password, a breakpoint, a failure that is looked into.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Locator } from 'playwright-core';
import { openBrowser, type TestBrowser } from './kit/browser.ts';
import { attachEditor } from './kit/debugAdapter.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { jupyterEnvironment, lendPackages } from './kit/notebookEnvironment.ts';
import { assertAccessible, assertFits, picture, watchPage } from './kit/pages.ts';
import { startServer, type TestServer } from './kit/server.ts';
import { until } from './kit/until.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

async function open(browser: TestBrowser, sessionId: string) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
  const { problems } = watchPage(page, () => server.address);
  await page.goto(`${server.address}/#/notebook/${sessionId}`);
  await page.getByText('connected', { exact: true }).waitFor();
  const cell = (name: string) => page.getByRole('listitem', { name: new RegExp(`^${name}`) });
  return { page, problems, cell };
}

describe('a cell that asks on the page', () => {
  it('shows a field under the cell to everybody; Enter answers, Escape cancels, a password is masked', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Asks');
    await notebook.add('# @name greet\nprint("Hello", input("Your name? "))');
    await notebook.add('# @name key\nfrom getpass import getpass\nprint(len(getpass("Key: ")))');
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    const second = await open(browser, notebook.sessionId);

    await cell('greet').getByRole('button', { name: /^Run/ }).first().click();
    const field = cell('greet').getByLabel('Your name?');
    await field.waitFor();
    await second.cell('greet').getByLabel('Your name?').waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'INPUT');
    // Whoever only watches is not taken anywhere.
    assert.equal(await second.page.evaluate('document.activeElement.tagName'), 'SECTION');
    await picture(page, 'asked-light');
    await assertAccessible(page, 'a cell that asks');
    await field.fill('Ann');
    await field.press('Enter');
    await cell('greet').getByText('Hello Ann').waitFor();
    await second.cell('greet').getByLabel('Your name?').waitFor({ state: 'detached' });
    await cell('greet').getByText('asked a person').waitFor();

    await cell('key').getByRole('button', { name: /^Run/ }).first().click();
    const secret = cell('key').getByLabel('Key:');
    await secret.waitFor();
    assert.equal(await secret.getAttribute('type'), 'password');
    await secret.fill('hunter2');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 740 });
    await picture(page, 'asked-secret-dark-narrow');
    await assertAccessible(page, 'a cell that asks for a password');
    await assertFits(page, 'a cell that asks');
    await page.setViewportSize({ width: 1280, height: 860 });
    await secret.press('Enter');
    await cell('key').getByText('Key: 7').waitFor();

    await cell('greet').getByRole('button', { name: /^Run/ }).first().click();
    await cell('greet').getByLabel('Your name?').press('Escape');
    await cell('greet').getByText('The question of input() was cancelled').waitFor();
    assert.deepEqual([problems, second.problems], [[], []]);
  });

  it('takes whoever runs it from within its text to the field, and whoever answers to the next question', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'From the text');
    const source = '# @name both\nfrom getpass import getpass\nwho = input("Who? ")\nprint(who, len(getpass("Key: ")))';
    const id = await notebook.add(source);
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    await cell('both').locator('.code').first().click();
    await page.keyboard.press('Control+Enter');
    await cell('both').getByLabel('Who?').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('Ann');
    // A page that is loaded anew has run nothing; it answers all the same, and knows how long the cell has been running.
    await cell('both')
      .getByText(/^running · [3-9]\.\d s/)
      .waitFor();
    await page.reload();
    const shown = await cell('both')
      .getByText(/^running · /)
      .innerText();
    assert.ok(Number(/[\d.]+/.exec(shown)?.[0]) >= 3, shown);
    await cell('both').getByLabel('Who?').fill('Bob');
    await page.keyboard.press('Enter');
    await cell('both').getByLabel('Key:').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('dd');
    await page.keyboard.press('Enter');
    await cell('both').getByText('Bob 2').waitFor();
    assert.equal((await notebook.cell(id)).source, source);
    assert.deepEqual(problems, []);
  });

  it('takes what is typed ahead for its next questions, and not as commands', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Ahead');
    const source =
      '# @name many\nimport time\nsaid = []\nfor n in range(4):\n    said.append(input(f"{n}? "))\n    time.sleep(0.3)\nprint(*said, sep="+")';
    await notebook.add(source);
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    await cell('many').getByRole('button', { name: /^Run/ }).first().click();
    await cell('many').getByLabel('0?').waitFor();
    // As commands they delete the cell.
    await page.keyboard.type('a dd\ndd\nxx\n', { delay: 30 });
    await cell('many').getByLabel('3?').waitFor();
    await page.keyboard.type('end\n', { delay: 30 });
    await cell('many').getByText('a dd+dd+xx+end').waitFor();
    await cell('many').getByRole('form').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SECTION');
    assert.deepEqual(
      (await notebook.state()).cells.map((one) => one.source),
      [source],
    );
    assert.deepEqual(problems, []);
  });

  it('shows a password that is half written in no other field', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Half');
    const id = await notebook.add(
      '# @name half\nfrom getpass import getpass\nprint(len(getpass("Key: ")), input("Name? "))',
    );
    const { page, cell } = await open(browser, notebook.sessionId);
    notebook.socket.send('cell_execute', { cell_id: id });
    await cell('half').getByLabel('Key:').click();
    await page.keyboard.type('hunter2');
    const { question } = await notebook.cell(id);
    notebook.socket.send('cell_answer', { cell_id: id, question_id: question?.question_id ?? '', text: 'four' });
    await cell('half').getByLabel('Name?').waitFor();
    assert.equal(await cell('half').getByLabel('Name?').inputValue(), '');
    await cell('half').getByLabel('Name?').fill('Ann');
    await page.keyboard.press('Enter');
    await cell('half').getByText('4 Ann').waitFor();
  });

  it('is found again by a page that is loaded meanwhile', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Loaded');
    const id = await notebook.add('# @name late\nprint(input("Late? ") * 2)');
    notebook.socket.send('cell_execute', { cell_id: id });
    await notebook.socket.frame(({ type }) => type === 'cell_question');
    const { page, cell } = await open(browser, notebook.sessionId);
    await page.getByRole('button', { name: 'late asks' }).click();
    await cell('late').getByLabel('Late?').and(page.locator(':focus')).waitFor();
    await page.keyboard.type('ab');
    await page.keyboard.press('Enter');
    await cell('late').getByText('abab').waitFor();
  });
});

describe('a cell that stops', () => {
  it('at a breakpoint shows its line and variables; commands step through it and go on', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Stops');
    await notebook.add(
      '# @name stop\ntotal = 0\nfor n in [3, 4]:\n    breakpoint()\n    total += n\nprint("total", total)',
    );
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    await cell('stop').getByRole('button', { name: /^Run/ }).first().click();
    const stopped = cell('stop').getByRole('region', { name: 'Stopped' });
    const variable = (name: string, value: string) =>
      stopped.getByRole('row', { name: new RegExp(`^${name} \\w+ ${value}$`) }).waitFor();
    await variable('n', '3');
    await variable('total', '0');
    const prompt = stopped.getByLabel('Expression or command');
    await prompt.fill('n * 100');
    await prompt.press('Enter');
    await stopped.getByText('300', { exact: true }).waitFor();
    await prompt.fill('!n = 50');
    await prompt.press('Enter');
    await variable('n', '50');
    await picture(page, 'stopped-light');
    await assertAccessible(page, 'a cell at a breakpoint');
    await stopped.getByRole('button', { name: 'Continue' }).click();
    await variable('n', '4');
    await variable('total', '50');
    await stopped.getByRole('button', { name: 'Continue' }).click();
    await cell('stop').getByText('total 54').waitFor();
    await stopped.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  it('keeps what was said, and what is being written, while a command takes long', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Slow steps');
    const sources = [
      '# @name slow\nimport time\nbreakpoint()\ndone = 5',
      '# @name failed\nimport time\nsize = 3\nsize / 0',
    ];
    for (const source of sources) await notebook.add(source);
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    await cell('slow').getByRole('button', { name: /^Run/ }).first().click();
    await stepsSlowly(cell('slow').getByRole('region', { name: 'Stopped' }), {
      first: '1 + 1',
      says: '2',
    });
    await cell('slow').getByRole('button', { name: 'Quit' }).press('Enter');
    await cell('slow').getByRole('region', { name: 'Stopped' }).waitFor({ state: 'detached' });
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'SECTION');

    await cell('failed').getByRole('button', { name: /^Run/ }).first().click();
    await cell('failed').getByRole('button', { name: 'Inspect this failure' }).click();
    const looked = cell('failed').getByRole('region', { name: 'Inspect this failure' });
    await stepsSlowly(looked, { first: 'size', says: '3' });
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('quit\n');
    await looked.getByText('The process of this failure has ended.').waitFor();
    assert.deepEqual(problems, []);

    async function stepsSlowly(stopped: Locator, words: { first: string; says: string }): Promise<void> {
      await stopped.getByLabel('Expression or command').click();
      await page.keyboard.type(`${words.first}\n`);
      const said = stopped.getByRole('list', { name: 'Answers' });
      await said.getByText(words.says, { exact: true }).waitFor();
      await page.keyboard.type('time.sleep(1)\n');
      await stopped.getByText('Running …').waitFor();
      await page.keyboard.type('dd', { delay: 30 });
      await stopped.getByText(/^(Stopped|Failed) at/).waitFor();
      assert.equal(await said.innerText(), `${words.first}\n${words.says}\ntime.sleep(1)`);
      assert.equal(await stopped.getByLabel('Expression or command').inputValue(), 'dd');
      assert.equal((await notebook.state()).cells.length, sources.length);
    }
  });

  it('at lines that were marked beside the text or by F9; marks move with the text and a run stops at each', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Marked');
    await notebook.add('# @name marked\ntotal = 0\nfor n in [3, 4]:\n    total += n\nprint("total", total)');
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    const code = cell('marked').locator('.code');
    const stops = () => code.locator('.stops').allTextContents();
    const line = async (text: string) => {
      const box = await code.getByText(text).first().boundingBox();
      const side = await code.boundingBox();
      return { x: (side?.x ?? 0) + 5, y: (box?.y ?? 0) + 6 };
    };

    // At rest a click in the margin sets it, and another takes it away.
    const print = await line('print');
    await page.mouse.click(print.x, print.y);
    assert.deepEqual(await stops(), ['print("total", total)']);
    await page.mouse.click(print.x, print.y);
    assert.deepEqual(await stops(), []);

    await code.getByText('total += n').click();
    await page.keyboard.press('F9');
    assert.deepEqual(await stops(), ['    total += n']);
    await page.keyboard.press('Control+Home');
    await page.keyboard.press('End');
    await page.keyboard.type('\nseen = []');
    assert.deepEqual(await stops(), ['    total += n']);
    await page.keyboard.press('Control+Enter');
    const stopped = cell('marked').getByRole('region', { name: 'Stopped' });
    const value = (name: string, text: string) =>
      stopped.getByRole('row', { name: new RegExp(`^${name} \\w+ ${text}$`) }).waitFor();
    await value('n', '3');
    await stopped.getByText('Stopped at line 5').waitFor();
    assert.deepEqual(await code.locator('.marked').allTextContents(), ['    total += n']);
    await picture(page, 'marked-light');
    await assertAccessible(page, 'a cell at a marked line');
    await stopped.getByRole('button', { name: 'Continue' }).click();
    await value('n', '4');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 740 });
    await picture(page, 'marked-dark-narrow');
    await assertFits(page, 'a cell at a marked line');
    await page.setViewportSize({ width: 1280, height: 860 });
    await stopped.getByRole('button', { name: 'Continue' }).click();
    await cell('marked').getByText('total 7').waitFor();
    await stopped.waitFor({ state: 'detached' });
    assert.deepEqual(await code.locator('.marked').allTextContents(), []);
    assert.deepEqual(problems, []);
  });

  it('in a cell above that runs first, or in its function, is found from the line of the machine', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Above');
    await notebook.add('# @name lib\ndef double(n):\n    return n * 2\n\nbase = double(4)');
    for (let n = 0; n < 12; n += 1) await notebook.add(`filler_${n} = ${n}\n${'# rest\n'.repeat(8)}`);
    await notebook.add('# @name last\nprint("got", double(base))');
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    await cell('lib').locator('.code').getByText('base = ').click();
    await page.keyboard.press('F9');
    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    await cell('last').waitFor();
    await page.keyboard.press('Control+Enter');
    await cell('last').getByRole('button', { name: 'Run 2 cells' }).click();
    const status = page.locator('.status-line');
    await status.getByRole('button', { name: 'lib is stopped' }).click();
    const stopped = cell('lib').getByRole('region', { name: 'Stopped' });
    await stopped.getByText('Stopped at line 5').waitFor();
    assert.deepEqual(await cell('lib').locator('.marked').allTextContents(), ['base = double(4)']);
    await picture(page, 'stopped-above');
    await assertAccessible(page, 'a cell above that stopped');
    await stopped.getByRole('button', { name: 'Continue' }).click();
    await page.keyboard.press('End');
    await cell('last').getByText('got 16').waitFor();
    await status.getByRole('button', { name: 'lib is stopped' }).waitFor({ state: 'detached' });

    // What is up to date runs again for a line of a function that it calls.
    await page.keyboard.press('Home');
    await cell('lib').locator('.code').getByText('return n').click();
    await page.keyboard.press('F9');
    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    await page.keyboard.press('Control+Enter');
    const called = cell('last').getByRole('region', { name: 'Stopped' });
    await called.getByText('Stopped at lib, line 3 in double').waitFor();
    await called.getByRole('row', { name: /^n int 8$/ }).waitFor();
    await picture(page, 'stopped-in-function');
    await called.getByRole('button', { name: 'Continue' }).click();
    await called.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  it('an editor attaches where debugpy is installed, and goes on from there', async (t) => {
    const interpreter = await jupyterEnvironment(t);
    await using browser = await openBrowser(t);
    if (!browser.ready || interpreter === undefined) return;
    const notebook = await createTestNotebook(server, 'Attached');
    lendPackages(notebook.path, interpreter);
    await notebook.add('# @name attached\nx = 1\nbreakpoint()\nx += 1\nprint("x is", x)');
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    await cell('attached').getByRole('button', { name: /^Run/ }).first().click();
    const stopped = cell('attached').getByRole('region', { name: 'Stopped' });
    await stopped.getByRole('button', { name: 'Attach an editor' }).click();
    await stopped.getByText('Attach your editor to').waitFor();
    await picture(page, 'attach-light');
    await assertAccessible(page, 'a cell that an editor may debug');
    using editor = await attachEditor(await stopped.locator('.debugger-editor code').innerText());
    const { threadId } = await editor.event('stopped');
    await stopped.waitFor({ state: 'detached' });
    await editor.request('continue', { threadId });
    await cell('attached').getByText('x is 2').waitFor();
    assert.deepEqual(problems, []);
  });

  it('by a failure can be inspected: frames, variables, a prompt in the chosen frame', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Fails');
    await notebook.add(
      '# @name fail\ndef share(whole, parts):\n    rest = whole % 7\n    return whole / parts\n\nsize = 12\nshare(size, 0)',
    );
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    await cell('fail').getByRole('button', { name: /^Run/ }).first().click();
    await cell('fail').getByRole('button', { name: 'Inspect this failure' }).click();
    const tool = cell('fail').getByRole('region', { name: 'Inspect this failure' });
    await tool.getByRole('row', { name: /^rest int 5$/ }).waitFor();
    // What is typed next is asked there; on the page it would be commands.
    await tool.getByLabel('Expression or command').and(page.locator(':focus')).waitFor();
    await tool.getByRole('button', { name: 'fail, line 7' }).click();
    await tool.getByRole('row', { name: /^size int 12$/ }).waitFor();
    await tool.getByLabel('Expression or command').fill('size + 1');
    await page.keyboard.press('Enter');
    await tool.getByText('13', { exact: true }).waitFor();
    // A failed cell cannot go on, and its frames are those of the cell alone.
    const said = tool.getByRole('list', { name: 'Answers' }).getByRole('listitem');
    for (const [command, answer] of [
      ['next', 'next\n*** The cell has failed and cannot go on. Look around here, or quit.'],
      ['where', 'where\n'],
    ] as const) {
      const before = await said.count();
      await tool.getByLabel('Expression or command').fill(command);
      await page.keyboard.press('Enter');
      await said.nth(before).waitFor();
      assert.ok((await said.nth(before).innerText()).startsWith(answer), await said.nth(before).innerText());
      assert.doesNotMatch(await said.nth(before).innerText(), /svc_runtime|runpy/);
    }
    await picture(page, 'failure-light');
    await assertAccessible(page, 'a failure that is looked into');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 380, height: 740 });
    await tool.getByLabel('Expression or command').scrollIntoViewIfNeeded();
    await picture(page, 'failure-dark-narrow');
    await assertAccessible(page, 'a failure, dark and narrow');
    await assertFits(page, 'a failure that is looked into');
    await cell('fail').getByRole('button', { name: 'Close', exact: true }).click();
    await tool.waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  it('by a failure that is looked into, ends for good when that is closed, also while a command is at work', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const notebook = await createTestNotebook(server, 'Closed');
    const failing = await notebook.add(
      '# @name fail\nimport os, time\npid = os.getpid()\nif os.path.exists("asks"):\n    input("Go on? ")\n1 / 0',
    );
    const { page, problems, cell } = await open(browser, notebook.sessionId);
    const tool = cell('fail').getByRole('region', { name: 'Inspect this failure' });
    const said = tool.getByRole('list', { name: 'Answers' }).getByRole('listitem');
    const prompt = tool.getByLabel('Expression or command');
    const look = async (): Promise<number> => {
      await cell('fail').getByRole('button', { name: 'Inspect this failure' }).dblclick();
      const row = await tool.getByRole('row', { name: /^pid int/ }).innerText();
      return Number(/\d+/.exec(row)?.[0]);
    };
    const isAlive = (pid: number) => fs.existsSync(`/proc/${pid}`);
    const isGone = (pid: number) => until(() => !isAlive(pid), 'the process has gone');
    await cell('fail').getByRole('button', { name: /^Run/ }).first().click();
    const first = await look();
    await prompt.fill('print("seen", end="")');
    await page.keyboard.press('Enter');
    await said.first().waitFor();
    assert.equal(await said.first().innerText(), 'print("seen", end="")\nseen');
    await prompt.fill('print("twice"); print("over")');
    await page.keyboard.press('Enter');
    await said.nth(1).waitFor();
    assert.equal(await said.nth(1).innerText(), 'print("twice"); print("over")\ntwice\nover');
    await prompt.fill('[print("again"), None][1]');
    await page.keyboard.press('Enter');
    await said.nth(2).waitFor();
    assert.equal(await said.nth(2).innerText(), '[print("again"), None][1]\nagain');
    assert.ok(isAlive(first));
    await cell('fail').getByRole('button', { name: 'Close', exact: true }).click();
    await isGone(first);

    const second = await look();
    assert.notEqual(second, first);
    await prompt.fill('time.sleep(600)');
    await page.keyboard.press('Enter');
    await tool.getByText('Running …').waitFor();
    await cell('fail').getByRole('button', { name: 'Close', exact: true }).click();
    await isGone(second);

    // Another tool in its place, too.
    const third = await look();
    await cell('fail').click({ position: { x: 4, y: 4 } });
    await page.keyboard.press('t');
    await cell('fail').getByRole('region', { name: 'Tests' }).waitFor();
    await isGone(third);

    // Closed before it has failed again.
    fs.writeFileSync(path.join(notebook.path, 'work', 'asks'), '');
    await cell('fail').getByRole('button', { name: 'Inspect this failure' }).click();
    await cell('fail').getByLabel('Go on?').waitFor();
    await cell('fail').getByRole('button', { name: 'Close', exact: true }).click();
    const failed = notebook.framesUntil(
      ({ type, payload }) => type === 'cell_question' && Object(payload.question).reason === 'failure',
    );
    await cell('fail').getByLabel('Go on?').press('Enter');
    await failed;
    await until(async () => (await notebook.cell(failing)).question == null, 'nobody is asked any more');
    assert.deepEqual(problems, []);
  });
});
