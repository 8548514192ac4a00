import assert from 'node:assert/strict';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { describe, it, type TestContext } from 'node:test';
import { Refusal } from '../errors/index.ts';
import type { BuildManifestBody } from '../protocol/index.ts';
import { succeededRun } from '../runtimes/index.ts';
import { createPulledCells, type Signed } from './pulledCells.ts';
import { createSigner, type SignedOperation } from './signing.ts';

const text = (words: string): Readable => Readable.from([Buffer.from(words)]);

const kindOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'done',
    (error: unknown) => (error instanceof Refusal ? error.kind : error),
  );

const manifest: BuildManifestBody = {
  build_id: 'b1',
  metadata: { build_id: 'b1', artifact_id: 'a', version: 1, executor_ref: 'notebook_cell@v1', params: {} },
  inputs: [],
  output: { url: '', expires_at: 2000, max_bytes: 10, method: 'POST' },
  finalize_url: '',
  log_url: '',
  output_file_url: '',
};

async function openBuild(context: TestContext) {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-builds-'));
  context.after(() => fs.rm(folder, { recursive: true, force: true }));
  const input = path.join(folder, 'a.json');
  await fs.writeFile(input, '41');
  let now = 1000;
  const signer = createSigner('secret', () => now);
  const builds = createPulledCells(signer);
  const told: string[] = [];
  const open = builds.open({
    id: 'b1',
    owner: { principal: null, tenant: '' },
    folder,
    inputs: new Map([['a1@v=1', input]]),
    outputDirs: ['model'],
    maxBytes: 10,
    maxFileBytes: 10,
    onConsole: (stream, chunk) => told.push(`${stream}:${chunk}`),
    take: async () => succeededRun({ executionMethod: 'executor' }),
    readdress: async (lease) => ({ ...manifest, finalize_url: lease }),
  });
  const signed = (fields: { readonly op: SignedOperation } & Record<string, string | number>): Signed => {
    const whole = { ...fields, build_id: 'b1', expires_at: 2000 };
    return { capability: whole, signature: signer.sign(whole) };
  };
  return { builds, open, signed, told, folder, pass: (seconds: number) => (now += seconds) };
}

describe('signatures', () => {
  it('are those of the wire', async () => {
    const file = new URL('../../tests/vectors/worker/signing.json', import.meta.url);
    const { secret_utf8, vectors } = JSON.parse(await fs.readFile(file, 'utf8'));
    const signer = createSigner(secret_utf8);
    for (const { message, signature } of vectors) {
      // A whole number of seconds is printed without a fraction here; only our own signatures must agree.
      if (!message.includes('.0,')) assert.equal(signer.sign(JSON.parse(message)), signature, message);
    }
  });
});

describe('signed addresses of a build', () => {
  it('bring inputs to the worker and its bundle back', async (context) => {
    const { builds, open, signed } = await openBuild(context);
    const { byteSize } = await builds.download(signed({ op: 'download', artifact_id: 'a1', version: 1 }));
    assert.equal(byteSize, 2);
    assert.equal(await builds.upload(signed({ op: 'upload', max_bytes: 10 }), text('bundle')), 6);
    assert.deepEqual(await builds.finalize(signed({ op: 'finalize', lease: '' })), {
      artifactUri: 'svc://artifact/nb_remote_b1@v=1',
      byteSize: 6,
      rowCount: 0,
    });
    assert.equal(open.result()?.outcome, 'success');
  });

  it('are worth nothing when they were changed, are too old, or meant for another use', async (context) => {
    const { builds, signed, pass } = await openBuild(context);
    const download = signed({ op: 'download', artifact_id: 'a1', version: 1 });
    const upload = signed({ op: 'upload', max_bytes: 10 });
    const changed: Signed[] = [
      { ...download, signature: download.signature.replace(/^./, (first) => (first === 'A' ? 'B' : 'A')) },
      { ...download, signature: '' },
      ...Object.entries({ artifact_id: 'a2', version: 2, build_id: 'b2', expires_at: 9000 }).map(([key, value]) => ({
        ...download,
        capability: { ...download.capability, [key]: value },
      })),
    ];
    for (const one of changed) assert.equal(await kindOf(builds.download(one)), 'forbidden', JSON.stringify(one));
    const larger = { ...upload, capability: { ...upload.capability, max_bytes: 1e9 } };
    assert.equal(await kindOf(builds.upload(larger, text('x'))), 'forbidden');
    // One address as another: the signature of an upload does not finalize.
    const replayed = {
      capability: { ...upload.capability, op: 'finalize' as const, lease: '' },
      signature: upload.signature,
    };
    assert.equal(await kindOf(builds.finalize(replayed)), 'forbidden');
    pass(1000);
    assert.equal(await kindOf(builds.download(download)), 'forbidden');
  });

  it('take nothing after the build is over', async (context) => {
    const { builds, open, signed } = await openBuild(context);
    const upload = signed({ op: 'upload', max_bytes: 10 });
    const finalize = signed({ op: 'finalize', lease: '' });
    assert.equal(await kindOf(builds.finalize(finalize)), 'invalid');
    await builds.upload(upload, text('bundle'));
    await builds.finalize(finalize);
    assert.deepEqual(
      [await kindOf(builds.upload(upload, text('other'))), await kindOf(builds.finalize(finalize))],
      ['conflict', 'conflict'],
    );
    open.close();
    assert.equal(await kindOf(builds.upload(upload, text('other'))), 'not_found');
  });

  it('are retired by a new manifest, and what came to them is not looked at', async (context) => {
    const { builds, open, signed, folder } = await openBuild(context);
    const uploadFor = (lease: string) => signed({ op: 'upload', max_bytes: 10, ...(lease && { attempt: lease }) });
    const finalizeFor = (lease: string) => signed({ op: 'finalize', lease });
    await builds.upload(uploadFor(''), text('early'));
    const arriving = new PassThrough();
    const slow = kindOf(builds.upload(uploadFor(''), arriving));
    arriving.write('la');
    const { finalize_url: lease } = await builds.renew(signed({ op: 'manifest' }));
    arriving.end('te');
    assert.deepEqual(
      [
        await slow,
        await kindOf(builds.upload(uploadFor(''), text('late'))),
        await kindOf(builds.finalize(finalizeFor(''))),
        await kindOf(builds.finalize(finalizeFor(lease))),
        await kindOf(builds.upload(uploadFor(lease), text('bundle'))),
        await kindOf(builds.renew({ ...signed({ op: 'manifest' }), signature: 'x' })),
      ],
      ['conflict', 'conflict', 'conflict', 'invalid', 'done', 'forbidden'],
    );
    assert.equal((await fs.readdir(folder)).filter((name) => name.includes('upload')).length, 1);
    assert.equal(await kindOf(builds.finalize(finalizeFor(lease))), 'done');
    assert.equal(await kindOf(builds.renew(signed({ op: 'manifest' }))), 'conflict');
    open.close();
    assert.equal(await kindOf(builds.renew(signed({ op: 'manifest' }))), 'not_found');
  });

  it('take no more than was agreed, and not nothing', async (context) => {
    const { builds, signed, folder } = await openBuild(context);
    const upload = signed({ op: 'upload', max_bytes: 10 });
    assert.equal(await kindOf(builds.upload(upload, text('more than ten'))), 'too_large');
    assert.equal(await kindOf(builds.upload(upload, Readable.from([]))), 'invalid');
    assert.deepEqual((await fs.readdir(folder)).filter((name) => name.includes('upload')).length, 0);
  });

  it('tell the console in order, once', async (context) => {
    const { builds, signed, told } = await openBuild(context);
    const log = signed({ op: 'log' });
    assert.deepEqual(
      [
        await builds.log(log, 'stdout', 1, 'two'),
        await builds.log(log, 'stderr', 0, 'bad'),
        await builds.log(log, 'stdout', 0, 'one'),
        await builds.log(log, 'stdout', 0, 'one'),
        await builds.log(log, 'stdout', 3, 'four'),
      ],
      [true, true, true, false, true],
    );
    assert.deepEqual(told, ['stderr:bad', 'stdout:one', 'stdout:two']);
  });

  it('keep files of folders that the cell declared, inside them', async (context) => {
    const { builds, signed, folder } = await openBuild(context);
    const file = signed({ op: 'output_file' });
    const send = (name: string, inside: string) => kindOf(builds.outputFile(file, name, inside, text('x')));
    assert.deepEqual(
      await Promise.all([
        send('model', 'sub/a.txt'),
        send('model', '../a.txt'),
        send('model', '/etc/passwd'),
        send('model', 'a//b'),
        send('model', 'a\\b'),
        send('model', ''),
        send('other', 'a.txt'),
        send('..', 'a.txt'),
      ]),
      ['done', ...Array.from({ length: 7 }, () => 'invalid')],
    );
    assert.equal(await fs.readFile(path.join(folder, '.streamed/model/sub/a.txt'), 'utf8'), 'x');
  });

  it('refuse a file that comes after the run has ended as a conflict, and one that nobody signed as before', async (context) => {
    const { builds, open, signed } = await openBuild(context);
    const send = (file: Signed) => kindOf(builds.outputFile(file, 'model', 'a.txt', text('x')));
    const file = signed({ op: 'output_file' });
    open.close();
    assert.deepEqual([await send(file), await send({ ...file, signature: 'x' })], ['conflict', 'forbidden']);
  });
});
