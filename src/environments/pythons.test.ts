// Interpreters of this machine, and machines that are made up: folders with programs that answer like an interpreter and
// write down that they were asked.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { findUv } from '../../scripts/setup/uv.js';
import { type InterpreterMemory, openInterpreterMemory } from './interpreterMemory.ts';
import { createPythons, type Pythons } from './pythons.ts';

it('every interpreter that is offered is there and is what it is said to be, newest first', async () => {
  await using machine = madeUp();
  const memory = openInterpreterMemory(machine.memory);
  const found = await createPythons({ uv: findUv, memory }).find(() => false);
  await memory.add({});
  assert.ok(found.length > 0);
  for (const { command, fullVersion, version } of found) {
    const said = execFileSync(command, ['-I', '-S', '-c', 'import platform; print(platform.python_version())']);
    assert.equal(said.toString().trim(), fullVersion);
    assert.ok(fullVersion.startsWith(`${version}.`));
  }
  const minors = found.map(({ version }) => Number(version.split('.')[1]));
  assert.deepEqual(
    minors,
    minors.toSorted((a, b) => b - a),
  );
});

describe('interpreters of a machine', () => {
  it('are asked once for each file, whatever leads to it, and not again by the next server', async () => {
    await using machine = madeUp();
    machine.install('usr/bin/python3.12', '3.12.4');
    fs.symlinkSync('python3.12', path.join(machine.root, 'usr/bin/python3'));
    machine.install('usr/bin/python3.9', '3.9.1');
    fs.symlinkSync('python3.9', path.join(machine.root, 'usr/bin/python'));
    assert.deepEqual(await machine.versions(), ['3.12.4']);
    assert.deepEqual(await machine.versions(), ['3.12.4']);
    assert.deepEqual(machine.asked(), ['usr/bin/python3.12']);
  });

  it('that a version manager installed are taken themselves, past its shims', async () => {
    await using machine = madeUp();
    machine.install('pyenv/shims/python3.13', '3.13.0');
    machine.install('pyenv/versions/3.13.0/bin/python3.13', '3.13.0');
    machine.install('mise/shims/python3.12', '3.12.1');
    machine.install('mise/installs/python/3.12.1/bin/python3.12', '3.12.1');
    machine.install('home/.local/share/uv/python/cpython-3.11/bin/python3.11', '3.11.9');
    assert.deepEqual(await machine.versions(['pyenv/shims', 'mise/shims']), ['3.13.0', '3.12.1', '3.11.9']);
    assert.deepEqual(machine.asked(), [
      'home/.local/share/uv/python/cpython-3.11/bin/python3.11',
      'mise/installs/python/3.12.1/bin/python3.12',
      'pyenv/versions/3.13.0/bin/python3.13',
    ]);
  });

  it('are found behind shims where nothing else leads to them', async () => {
    await using machine = madeUp();
    machine.install('strange/place/python3.13', '3.13.7');
    machine.install('manager/shims/python3.13', '3.13.7', 'strange/place/python3.13');
    assert.deepEqual(await machine.versions(['manager/shims']), ['3.13.7']);
    const [found] = await machine.look(['manager/shims']).find();
    assert.equal(found?.command, path.join(machine.root, 'strange/place/python3.13'));
    assert.deepEqual(machine.asked(), ['manager/shims/python3.13', 'strange/place/python3.13']);
  });

  it('that were removed are offered no more, and those that were replaced are asked anew', async () => {
    await using machine = madeUp();
    machine.install('usr/bin/python3.13', '3.13.0');
    machine.install('usr/bin/python3.12', '3.12.4');
    const pythons = machine.look();
    assert.deepEqual(fullVersions(await pythons.find()), ['3.13.0', '3.12.4']);
    machine.remove('usr/bin/python3.13');
    machine.install('usr/bin/python3.12', '3.12.10');
    assert.deepEqual(fullVersions(await pythons.find()), ['3.12.10']);
    assert.deepEqual(await machine.versions(), ['3.12.10']);
  });

  it('that were installed since are found by whoever wants them', async () => {
    await using machine = madeUp();
    machine.install('usr/bin/python3.12', '3.12.4');
    const pythons = machine.look();
    await pythons.find();
    machine.install('usr/bin/python3.14', '3.14.0');
    assert.deepEqual(fullVersions(await pythons.find(({ version }) => version === '3.12')), ['3.12.4']);
    assert.deepEqual(fullVersions(await pythons.find(({ version }) => version === '3.14')), ['3.14.0', '3.12.4']);
  });

  it('that only uv knows of are found beside the answers of a server, and remembered', async () => {
    await using machine = madeUp();
    machine.install('usr/bin/python3.12', '3.12.4');
    const hidden = machine.install('elsewhere/python3.13', '3.13.1');
    const listed = { path: hidden, implementation: 'cpython', version_parts: { major: 3, minor: 13, patch: 1 } };
    const uv = machine.script('uv', `echo '${JSON.stringify([listed])}'`);
    const server = machine.look(['usr/bin'], { uv });
    server.keepFresh();
    assert.deepEqual(fullVersions(await server.find()), ['3.12.4']);
    assert.deepEqual(fullVersions(await server.find(({ version }) => version === '3.13')), ['3.13.1', '3.12.4']);
    await machine.written();
    assert.deepEqual(fullVersions(await machine.look(['usr/bin'], { uv }).find()), ['3.13.1', '3.12.4']);
    assert.deepEqual(machine.asked(), ['elsewhere/python3.13', 'usr/bin/python3.12', 'uv']);
  });

  it('are asked anew where the memory cannot be read, and one that does not run is left out', async () => {
    await using machine = madeUp();
    machine.install('usr/bin/python3.12', '3.12.4');
    machine.install('usr/bin/python3.11', 'broken');
    fs.writeFileSync(machine.memory, '{"answers": 1');
    assert.deepEqual(await machine.versions(), ['3.12.4']);
    assert.deepEqual(await machine.versions(), ['3.12.4']);
    assert.deepEqual(machine.asked(), ['usr/bin/python3.11', 'usr/bin/python3.12']);
  });

  it('in a virtual environment are taken where they come from', async () => {
    await using machine = madeUp();
    const base = machine.install('opt/python3.12', '3.12.4');
    fs.mkdirSync(path.join(machine.root, 'venv/bin'), { recursive: true });
    fs.writeFileSync(path.join(machine.root, 'venv/pyvenv.cfg'), '');
    fs.symlinkSync(base, path.join(machine.root, 'venv/bin/python3'));
    const [found] = await machine.look(['venv/bin']).find();
    assert.equal(found?.command, base);
  });
});

const fullVersions = (found: readonly { readonly fullVersion: string }[]): string[] =>
  found.map(({ fullVersion }) => fullVersion);

interface Machine extends AsyncDisposable {
  readonly root: string;
  readonly memory: string;
  /** `told`: the program that it says it is, where it only stands before it. */
  install(file: string, version: string, told?: string): string;
  remove(file: string): void;
  /** A program that writes down that it was started. */
  script(file: string, text: string): string;
  /** A new server with these folders on its path. */
  look(folders?: readonly string[], more?: { readonly uv: string }): Pythons;
  /** Resolves when the servers so far have written all that they remember. */
  written(): Promise<void>;
  /** What a new server finds, once all that it asked is remembered. */
  versions(folders?: readonly string[]): Promise<string[]>;
  /** Which programs were asked so far. */
  asked(): string[];
}

function madeUp(): Machine {
  const root = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'svc-machine-')));
  const memory = path.join(root, 'interpreters.json');
  const log = path.join(root, 'asked');
  const memories: InterpreterMemory[] = [];
  const inside = (file: string): string => path.join(root, file);

  function look(folders: readonly string[] = ['usr/bin'], more?: { readonly uv: string }): Pythons {
    const env = { PATH: folders.map(inside).join(path.delimiter), HOME: inside('home') };
    const kept = openInterpreterMemory(memory);
    memories.push(kept);
    return createPythons({ uv: () => more?.uv, memory: kept, machine: { env, usual: [] } });
  }

  function script(file: string, text: string): string {
    const place = inside(file);
    fs.mkdirSync(path.dirname(place), { recursive: true });
    fs.rmSync(place, { force: true });
    fs.writeFileSync(place, `#!/bin/sh\necho '${file}' >> '${log}'\n${text}\n`, { mode: 0o755 });
    return place;
  }

  const written = async (): Promise<void> => {
    for (const kept of memories) await kept.add({});
  };

  return {
    root,
    memory,
    script,
    look,
    written,
    install: (file, version, told = file) =>
      script(file, version === 'broken' ? 'exit 1' : `echo '${inside(told)}'; echo '${version.replaceAll('.', ' ')}'`),
    remove: (file) => fs.rmSync(inside(file)),
    async versions(folders) {
      const found = await look(folders).find();
      await written();
      return fullVersions(found);
    },
    asked: () => fs.readFileSync(log, 'utf8').trim().split('\n').sort(),
    async [Symbol.asyncDispose]() {
      await written();
      fs.rmSync(root, { recursive: true, force: true });
    },
  };
}
