// Names and paths that become folders, files and headings: none is hidden from who looks, and none looks like another one.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, before, it } from 'node:test';
import { createTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'Plain');
});
after(() => server[Symbol.asyncDispose]());

const root = (): string => path.dirname(notebook.path);
/** But what a notebook keeps for itself, which its environment is still written to. */
const everything = (): string[] =>
  fs
    .readdirSync(root(), { recursive: true })
    .map(String)
    .filter((place) => !/^plain\/(?:\.svc|\.venv)\/(?!x$|kept$)|^plain\/uv\.lock$|^plain\/\.venv$/.test(place))
    .sort();
const jupyter = JSON.stringify({ nbformat: 4, nbformat_minor: 5, metadata: {}, cells: [] });

function imported(fields: Readonly<Record<string, string>>, file = 'kept.ipynb'): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([jupyter]), file);
  return form;
}

async function refusalOf(method: string, place: string, body: object | FormData): Promise<readonly [number, string]> {
  if (!(body instanceof FormData)) {
    const { status, json } = await server.rest.send(method, place, { json: body });
    return [status, String(Object(json).detail)];
  }
  const answer = await fetch(`${server.address}${place}`, { method, body });
  return [answer.status, String(Object(await answer.json()).detail)];
}

it('no notebook is made, opened or held in a hidden folder', async () => {
  const before = everything();
  for (const [part, folder] of [
    ['.svc', 'plain/.svc'],
    ['.git', '.git/x'],
    ['.hidden', `${root()}/new/.hidden`],
  ] as const) {
    const why = (label: string) => [
      400,
      `Invalid ${label}: ${part} is hidden, and hidden folders are those of programs; name a folder that does not start with a dot`,
    ];
    const answers = [
      await refusalOf('POST', '/v1/notebooks/create', { parent_path: folder, name: 'x' }),
      await refusalOf('POST', '/v1/notebooks/import', imported({ parent_path: folder })),
      await refusalOf('POST', '/v1/notebooks/import-snapshot', imported({ parent_path: folder }, 'x.zip')),
      await refusalOf('POST', '/v1/notebooks/open', { path: folder }),
    ];
    const parent = why('parent path');
    assert.deepEqual(answers, [parent, parent, parent, why('notebook path')]);
  }
  assert.deepEqual(everything(), before);
});

it('nothing gets a name with a sign that nobody sees, and the refusal names the sign', async () => {
  const before = everything();
  const name = 'sales\u202egpj';
  const why = (label: string) => [
    400,
    `The ${label} holds the sign U+202E, which nobody sees and which can make one name look like another; remove it`,
  ];
  const [called, parent] = [why('notebook name'), why('parent path')];
  assert.deepEqual(
    [
      await refusalOf('POST', '/v1/notebooks/create', { parent_path: '.', name }),
      await refusalOf('POST', '/v1/notebooks/create', { parent_path: name, name: 'x' }),
      await refusalOf('POST', '/v1/notebooks/import', imported({ name })),
      await refusalOf('POST', '/v1/notebooks/import', imported({}, `${name}.ipynb`)),
      await refusalOf('POST', '/v1/notebooks/import', imported({ parent_path: name })),
      await refusalOf('POST', '/v1/notebooks/import-snapshot', imported({ name }, 'x.zip')),
      await refusalOf('PUT', `/v1/notebooks/${notebook.sessionId}/name`, { name }),
      await refusalOf('PUT', `/v1/notebooks/${notebook.sessionId}/files/${encodeURIComponent(name)}`, {}),
      await refusalOf(
        'PUT',
        `/v1/notebooks/${notebook.sessionId}/files/${encodeURIComponent(name)}/x?parents=true`,
        {},
      ),
    ],
    [called, parent, called, called, parent, called, called, why('file path'), why('file path')],
  );
  assert.deepEqual(everything(), before);
});

it('a file with such a name that a cell made is listed, read and deleted', async () => {
  const name = 'a\u200bb.txt';
  await notebook.run(await notebook.add(`open(${JSON.stringify(name)}, "w").write("x")`));
  const place = `/v1/notebooks/${notebook.sessionId}/files/${encodeURIComponent(name)}`;
  assert.equal((await server.rest.get(place)).text, 'x');
  assert.equal((await server.rest.send('DELETE', place)).status, 200);
});
