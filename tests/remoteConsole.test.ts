// A piece of a pulled cell's console that never comes: what lies behind it waits, and is shown when the cell finishes.
import assert from 'node:assert/strict';
import { after, before, describe, it, type TestContext } from 'node:test';
import { z } from 'zod';
import { packTar } from '../src/bundle/index.ts';
import { openBrowser } from './kit/browser.ts';
import { fakeWorker } from './kit/fakeWorker.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { watchPage } from './kit/pages.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
before(async () => {
  server = await startServer();
});
after(() => server[Symbol.asyncDispose]());

const manifestShape = z.object({
  log_url: z.url(),
  finalize_url: z.url(),
  output: z.object({ url: z.url() }),
});
type Manifest = z.infer<typeof manifestShape>;

const post = async (url: string, body: string | Uint8Array<ArrayBuffer>): Promise<void> =>
  assert.ok((await fetch(url, { method: 'POST', body })).ok, url);

/** The second piece is lost on its way. */
const printWithGap = async ({ log_url }: Manifest): Promise<void> => {
  for (const [seq, text] of [
    [0, 'one\n'],
    [2, 'three\n'],
    [3, 'four\n'],
  ] as const)
    await post(`${log_url}&stream=stdout&seq=${seq}`, text);
};

async function bringBundle({ output, finalize_url }: Manifest): Promise<void> {
  const manifest = {
    schema_version: 'notebook-output-bundle@v1',
    success: true,
    variables: {},
    stdout_file: 'stdout.txt',
    stderr_file: 'stderr.txt',
  };
  const entries = [
    { name: 'stdout.txt', content: Buffer.from('one\ntwo\nthree\nfour\n') },
    { name: 'stderr.txt', content: Buffer.alloc(0) },
    { name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)) },
  ];
  await post(output.url, Buffer.concat(await Array.fromAsync(packTar(entries))));
  await post(finalize_url, '{}');
}

/** A cell whose worker prints with a gap, and then brings its result or breaks. */
async function cellOf(t: TestContext, end: 'brings' | 'breaks') {
  const fake = await fakeWorker(t, async (_request, response, body) => {
    const manifest = manifestShape.parse(JSON.parse(body));
    await printWithGap(manifest);
    if (end === 'brings') await bringBundle(manifest);
    if (end === 'brings') response.end('{"success":true}');
    else response.writeHead(500).end('{"detail":"out of memory"}');
  });
  const notebook = await createTestNotebook(server, `A gap: ${end}`);
  const config = { url: `${fake.address}/v1/execute`, transport: 'signed' };
  assert.equal((await notebook.request('PUT', '/workers', { workers: [{ name: 'fake', config }] })).status, 200);
  return { notebook, cell: await notebook.add('# @name far\n# @worker fake\nprint("one\\ntwo\\nthree\\nfour")') };
}

describe('console chunks after a gap are shown when the cell finishes', () => {
  it('by the whole that the worker brought', async (t) => {
    const { notebook, cell } = await cellOf(t, 'brings');
    const told = notebook.framesUntil(({ type }) => type === 'cell_output');
    const { stdout } = await notebook.run(cell);
    const chunks = (await told).flatMap(({ type, payload }) =>
      type === 'cell_console' ? [[payload.chunk_seq, payload.text]] : [],
    );
    assert.deepEqual(
      [chunks, stdout],
      [
        [
          [0, 'one\n'],
          [null, 'two\nthree\nfour\n'],
        ],
        'one\ntwo\nthree\nfour\n',
      ],
    );
  });

  it('on the page too, as far as they came, where the worker broke and brought nothing', async (t) => {
    await using browser = await openBrowser(t);
    if (!browser.ready) return;
    const { notebook, cell } = await cellOf(t, 'breaks');
    const page = await browser.newPage();
    const { problems } = watchPage(page, () => server.address);
    await page.goto(`${server.address}/#/notebook/${notebook.sessionId}`);
    const far = page.getByRole('listitem', { name: /^far/ });
    await page.getByText('connected', { exact: true }).waitFor();
    await far.getByRole('button', { name: 'Run', exact: true }).click();
    await far.getByText(/answered 500: out of memory/).waitFor();
    assert.equal(await far.getByRole('region', { name: 'Printed', exact: true }).textContent(), 'one\nthree\nfour\n');
    assert.equal((await notebook.cell(cell)).console_stdout, 'one\nthree\nfour\n');
    assert.deepEqual(problems, []);
    await page.close();
  });
});
