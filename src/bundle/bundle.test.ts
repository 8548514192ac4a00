import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { succeededRun } from '../runtimes/index.ts';
import { BundleInvalid, packTar, readBundle, readTar, type TarEntry, writeBundle } from './index.ts';

const limits = { maxMemberBytes: 10_000, maxBytes: 100_000 };

async function newFolder(context: TestContext): Promise<string> {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-bundle-'));
  context.after(() => fs.rm(folder, { recursive: true, force: true }));
  return folder;
}

const packed = async (entries: TarEntry[]): Promise<Buffer> => Buffer.concat(await Array.fromAsync(packTar(entries)));

const manifest = (more: object = {}): object => ({
  schema_version: 'notebook-output-bundle@v1',
  success: true,
  variables: {},
  displays: [],
  stdout_file: 'stdout.txt',
  stderr_file: 'stderr.txt',
  ...more,
});

const bundle = (more: object, entries: TarEntry[] = []): Promise<Buffer> =>
  packed([
    { name: 'stdout.txt', content: Buffer.from('out') },
    { name: 'stderr.txt', content: Buffer.alloc(0) },
    ...entries,
    { name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest(more))) },
  ]);

describe('archives', () => {
  it('give back what was put in, long and foreign names too', async () => {
    const names = ['a', `${'d/'.repeat(60)}deep`, 'x'.repeat(300), 'ünïcode', `${'y'.repeat(140)}/${'z'.repeat(90)}`];
    const bytes = await packed(names.map((name, size) => ({ name, content: Buffer.alloc(size * 300, 'q') })));
    const found: [string, number][] = [];
    for await (const { name, size } of readTar(Readable.from([bytes]))) found.push([name, size]);
    assert.deepEqual(
      found,
      names.map((name, size) => [name, size * 300]),
    );
  });

  it('are read in pieces of any size', async () => {
    const bytes = await packed([{ name: 'a', content: Buffer.from('hello') }]);
    const pieces = Array.from(bytes, (_, at) => bytes.subarray(at, at + 1));
    for await (const { body } of readTar(Readable.from(pieces)))
      assert.equal(Buffer.concat(await Array.fromAsync(body)).toString(), 'hello');
  });
});

it('an archive of headers without an end is refused', async () => {
  const [header] = await packed([{ name: 'x'.repeat(300), content: Buffer.alloc(0) }]).then((bytes) => [
    bytes.subarray(0, 1024),
  ]);
  function* endless(): Generator<Uint8Array> {
    for (let count = 0; count < 10_000; count++) yield Buffer.from(header ?? []);
  }
  await assert.rejects(Array.fromAsync(readTar(Readable.from(endless()))), {
    name: 'TarInvalid',
    message: 'a file in it has more than 16 headers',
  });
});

describe('a bundle', () => {
  it('carries a run to another folder', async (context) => {
    const [from, to] = [await newFolder(context), await newFolder(context)];
    await fs.writeFile(path.join(from, 'z.json'), '42');
    const model = path.join(from, 'model');
    await fs.mkdir(path.join(model, 'sub'), { recursive: true });
    await fs.writeFile(path.join(model, 'sub/b.bin'), 'bb');
    const value = { content_type: 'json/object', file: 'z.json', preview: 42 };
    const big = { content_type: 'pickle/object', type: 'Model' };
    const run = { ...succeededRun({ executionMethod: 'warm', variables: { z: value, big } }), stdout: 'out' };
    const facts = { hardware: { cpus: 2 }, mountBytes: {}, mountWrites: [] };
    const parts = { run, folder: from, outputDirs: { model }, ...facts };
    const file = path.join(from, 'bundle.tar');
    await writeBundle(parts, file);
    const read = await readBundle(Readable.from([await fs.readFile(file)]), to, limits);
    const sha256 = '73475cb40a568e8da8a045ced110137e159f890ac4da883b6b17dc651b3a8049';
    assert.deepEqual(
      [read.variables, Object.keys(read.described), read.displays, read.stdout, read.stderr],
      [{ z: { ...value, bytes: 2, sha256 } }, ['big'], [], 'out', ''],
    );
    assert.equal(await fs.readFile(path.join(to, 'output_dirs/model/sub/b.bin'), 'utf8'), 'bb');
  });

  it('of another program is read too', async (context) => {
    const folder = await newFolder(context);
    const file = new URL('../../tests/vectors/worker/bundle-small.tar', import.meta.url);
    const read = await readBundle(Readable.from([await fs.readFile(file)]), folder, limits);
    assert.deepEqual(
      [read.manifest.success, Object.keys(read.variables), read.variables.g, read.variables.z?.preview, read.stdout],
      [
        true,
        ['g', 'z'],
        { content_type: 'error', error: "cannot pickle 'generator' object", type: 'generator' },
        42,
        'hi\n',
      ],
    );
    assert.equal(await fs.readFile(path.join(folder, 'output_dirs/model/a.txt'), 'utf8'), 'alpha');
  });

  it('that is wrong anywhere fails whole', async (context) => {
    const file = (name: string, content = 'x'): TarEntry => ({ name, content: Buffer.from(content) });
    const variables = { a: { content_type: 'json/object', file: 'files/a.json' } };
    const link = await bundle({}, [file('files/link')]);
    const at = link.indexOf('files/link');
    link[at + 156] = '2'.charCodeAt(0);
    const sum = link.subarray(at, at + 512).reduce((total, byte, i) => total + (i >= 148 && i < 156 ? 32 : byte), 0);
    link.write(`${sum.toString(8).padStart(6, '0')}\0 `, at + 148);
    const wrong: Record<string, Buffer> = {
      'no archive': Buffer.alloc(2048, 'x'),
      empty: Buffer.alloc(1024),
      'cut off': (await bundle({})).subarray(0, 1300),
      'no manifest': await packed([file('stdout.txt')]),
      'manifest that is no JSON': await packed([file('manifest.json', '{')]),
      'other version': await bundle({ schema_version: 'notebook-output-bundle@v2' }),
      'console missing': await packed([file('manifest.json', JSON.stringify(manifest()))]),
      'console elsewhere': await bundle({ stdout_file: '../../etc/passwd' }),
      'absolute name': await bundle({}, [file('/etc/cron.d/x')]),
      'name with ..': await bundle({}, [file('files/../../x')]),
      'folder with ..': await bundle({}, [file('dirs/model/../../../x')]),
      'name with a backslash': await bundle({}, [file('files/a\\b')]),
      'over-long name': await bundle({}, [file(`files/${'n'.repeat(5000)}`)]),
      link,
      'same name twice': await bundle({}, [file('files/a'), file('files/a')]),
      'file missing': await bundle({ variables }),
      'file elsewhere': await bundle({ variables: { a: { content_type: 'x', file: 'manifest.json' } } }),
      'size differs': await bundle({ output_dirs: { model: { a: 2 } } }, [file('dirs/model/a')]),
      'file not in the index': await bundle({ output_dirs: { model: {} } }, [file('dirs/model/a')]),
      'file only in the index': await bundle({ output_dirs: { model: { a: 1 } } }),
      'folder that is no name': await bundle({ output_dirs: { '..': {} } }),
      'file in the place of all folders': await bundle({ output_dirs: { model: { a: 1 } } }, [
        file('files/output_dirs'),
        file('dirs/model/a'),
      ]),
      'folder with an over-long part': await bundle({}, [file(`dirs/model/${'n'.repeat(300)}/a`)]),
      'file that is also a folder': await bundle({}, [file('dirs/model/a'), file('dirs/model/a/b')]),
      'file in the place of the manifest': await packed([
        file('stdout.txt'),
        file('files/.bundle-manifest.json', '{}'),
      ]),
      'member too large': await bundle({}, [file('files/a', 'x'.repeat(10_001))]),
      bomb: await bundle(
        {},
        Array.from({ length: 12 }, (_, n) => file(`files/${n}`, 'x'.repeat(9000))),
      ),
      'console that is no text': await packed([
        { name: 'stdout.txt', content: Buffer.from([0xff, 0xfe]) },
        file('stderr.txt'),
        file('manifest.json', JSON.stringify(manifest())),
      ]),
    };
    for (const [what, bytes] of Object.entries(wrong)) {
      const folder = await newFolder(context);
      await assert.rejects(readBundle(Readable.from([bytes]), folder, limits), BundleInvalid, what);
    }
  });
});
