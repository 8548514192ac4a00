// The documentation is true: every how-to page and the tutorial are run as the notebooks they describe, every command is
// run, every link leads somewhere.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root } from '../scripts/setup/places.js';
import { needBrowser } from './kit/browser.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { findProgram } from './kit/parts.ts';
import { cleanEnvironment, newHome, runSvc, startServer } from './kit/server.ts';

const docs = path.join(root, 'docs');
const pages = fs
  .readdirSync(docs, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.md'))
  .sort();

interface Block {
  readonly language: string;
  readonly kind: string;
  readonly text: string;
}

const blocksOf = (page: string): Block[] =>
  [...fs.readFileSync(path.join(docs, page), 'utf8').matchAll(/^```(\w+)(?: (\w+))?\n(.*?)^```$/gms)].map(
    ([, language = '', kind = '', text = '']) => ({ language, kind, text }),
  );

const extensions: Readonly<Record<string, string>> = { widget: 'widget', r: 'r' };

/** The notebook that a page describes: its cells in their order, its blocks of the notebook file. */
async function writeNotebook(home: string, blocks: readonly Block[]): Promise<string> {
  const made = await runSvc(['new', 'Page', '--parent', home], { home });
  assert.equal(made.code, 0, made.stderr);
  const directory = path.join(home, 'page');
  const cells = blocks.filter(({ kind }) => kind === 'cell');
  const entries = cells.map(({ language, text }, order) => {
    const id = `cell${order}`;
    const file = `${id}.${extensions[language] ?? 'py'}`;
    fs.writeFileSync(path.join(directory, 'cells', file), text.replaceAll('{WAREHOUSE}', `file://${home}/warehouse`));
    return `    { id = "${id}", file = "${file}", language = "${language}", order = ${order} },\n`;
  });
  const notebook = path.join(directory, 'notebook.toml');
  const tables = blocks.filter(({ kind }) => kind === 'notebook').map(({ text }) => `\n${text}`);
  const empty = fs.readFileSync(notebook, 'utf8');
  assert.ok(empty.includes('cells = []'));
  fs.writeFileSync(notebook, empty.replace('cells = []', `cells = [\n${entries.join('')}]`) + tables.join(''));
  const tests = blocks.findIndex(({ kind }) => kind === 'test');
  if (tests >= 0) fs.writeFileSync(path.join(directory, 'cells/cell0.test.py'), blocks[tests]?.text ?? '');
  return directory;
}

/** The names of tests that a page shows. */
const testsIn = (blocks: readonly Block[]): string[] =>
  blocks.filter(({ kind }) => kind === 'test').flatMap(({ text }) => text.match(/^def test_\w+/gm) ?? []);

describe('the documentation', () => {
  for (const page of pages.filter((name) => blocksOf(name).some(({ kind }) => kind === 'cell'))) {
    it(`${page} is a notebook that runs`, async (t) => {
      const blocks = blocksOf(page);
      if (blocks.some(({ language }) => language === 'r') && findProgram('Rscript') === undefined)
        return process.env.SVC_TEST_ALL === '1' ? assert.fail('R is missing') : t.skip('R is missing');
      const home = newHome();
      const directory = await writeNotebook(home, blocks);
      const ran = await runSvc(['run', directory, '--format', 'json'], { home });
      assert.equal(ran.code, 0, ran.stdout + ran.stderr);
      const tested = Object(JSON.parse(ran.stdout)).cells.flatMap(({ tests = [] }) => tests);
      assert.deepEqual(
        tested.map(({ outcome }: { outcome: string }) => outcome),
        testsIn(blocks).map(() => 'passed'),
      );
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    });
  }

  for (const page of pages) {
    const commands = blocksOf(page).filter(({ language, kind }) => language === 'sh' && kind === '');
    if (commands.length === 0) continue;
    it(`${page}: its commands run`, async () => {
      const home = newHome();
      for (const { text } of commands)
        await promisify(execFile)('bash', ['-euc', text], { cwd: root, env: cleanEnvironment(home) });
      fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
    });
  }

  for (const page of pages) {
    for (const { text } of blocksOf(page).filter(({ kind }) => kind === 'serves')) {
      it(`${page}: ${text.trim()}`, async () => {
        const home = newHome();
        // Whatever else runs on this machine has its ports already.
        const command = text.replace(/--port \d+/, '--port 0');
        const env = cleanEnvironment(home, { SVC_PORT: '0' });
        const child = spawn('bash', ['-c', command], {
          cwd: root,
          env,
          stdio: ['ignore', 'pipe', 'inherit'],
          detached: true,
        });
        const ended = once(child, 'exit');
        let said = '';
        for await (const piece of child.stdout) {
          said += piece;
          if (/http:\/\/\S+/.test(said)) break;
        }
        const [address = ''] = /http:\/\/[^\s,"]+/.exec(said) ?? [];
        assert.equal((await fetch(new URL('/health', address))).status, 200, said);
        process.kill(-(child.pid ?? 0), 'SIGTERM');
        await ended;
        fs.rmSync(home, { recursive: true, force: true, maxRetries: 5 });
      });
    }

    const served = blocksOf(page).filter(({ kind }) => kind === 'served');
    if (served.length === 0) continue;
    it(`${page}: its cells run on a server`, async () => {
      await using server = await startServer();
      const notebook = await createTestNotebook(server, 'Served');
      for (const { text } of blocksOf(page).filter(({ kind }) => kind === 'cell')) await notebook.add(text);
      for (const { text } of served) {
        const { status, error } = await notebook.run(await notebook.add(text));
        assert.deepEqual([status, error], ['ready', null]);
      }
    });
  }

  it('is built as a site, with its pictures', async (t) => {
    const browser = needBrowser(t);
    if (browser === undefined) return;
    const { stdout } = await promisify(execFile)(process.execPath, [path.join(root, 'scripts/docs/build.ts')]);
    assert.match(stdout, /^\d+ pages and 1 pictures in docs\/site$/m);
    assert.match(fs.readFileSync(path.join(docs, 'site/routes.html'), 'utf8'), /GET \/v1\/notebooks\/discover/);
    assert.match(fs.readFileSync(path.join(docs, 'site/frames.html'), 'utf8'), /cell_source_update/);
  });

  it('links to files and sections that exist', () => {
    const broken = pages.flatMap((page) =>
      [
        ...fs
          .readFileSync(path.join(docs, page), 'utf8')
          .matchAll(/\]\((?!https?:|#|pictures\/)([^)#\s]+)(?:#[^)]*)?\)/g),
      ]
        .map(([, target = '']) => target)
        .filter((target) => !fs.existsSync(path.resolve(docs, path.dirname(page), target)))
        .map((target) => `${page}: ${target}`),
    );
    assert.deepEqual(broken, []);
  });
});
