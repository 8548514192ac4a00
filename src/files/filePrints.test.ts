import assert from 'node:assert/strict';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { until } from '../../tests/kit/until.ts';
import { createFilePrints, missingFile } from './filePrints.ts';

test('a file has the print of what it holds, and is read only when it was written to', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-prints-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'x');
  const prints = createFilePrints();
  assert.deepEqual(await prints.of(file), missingFile);
  fs.writeFileSync(file, 'one');
  const one = await prints.of(file);
  fs.writeFileSync(file, 'two!');
  const two = await prints.of(file);
  assert.notEqual(two.print, one.print);
  fs.writeFileSync(file, 'one');
  assert.equal((await prints.of(file)).print, one.print);

  const later = createFilePrints();
  later.know(file, { ...(await prints.of(file)), print: 'known' });
  assert.equal((await later.of(file)).print, 'known', 'by its size, time and number');
  fs.writeFileSync(file, 'three');
  assert.notEqual((await later.of(file)).print, 'known');
});

test('a file that was written over and given its old time is read again', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-prints-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'prices.csv');
  fs.writeFileSync(file, 'one');
  const prints = createFilePrints();
  const one = await prints.of(file);
  const { atime, mtime } = fs.statSync(file);
  fs.utimesSync(file, atime, mtime);
  const before = await prints.of(file);
  await until(() => {
    fs.writeFileSync(file, 'two');
    fs.utimesSync(file, atime, mtime);
    return `${fs.statSync(file, { bigint: true }).ctimeNs}` !== before.ctimeNs;
  }, 'the clock of the file system has moved on');
  const two = await prints.of(file);
  assert.deepEqual([two.mtimeNs, two.ino, two.print === one.print], [before.mtimeNs, before.ino, false]);
});

test('a large file has the print of its size and time, also where it was copied with its time', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-prints-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const [file, copy] = [path.join(folder, 'x'), path.join(folder, 'y')];
  for (const place of [file, copy]) {
    fs.writeFileSync(place, '');
    fs.truncateSync(place, 33 * 1024 * 1024);
  }
  const prints = createFilePrints();
  const { print } = await prints.of(file);
  const { mtimeNs } = fs.statSync(file, { bigint: true });
  const seconds = Number(mtimeNs / 1000n) / 1e6;
  fs.utimesSync(copy, seconds, seconds);
  assert.equal((await prints.of(copy)).print, print);
  fs.utimesSync(copy, seconds + 1, seconds + 1);
  assert.notEqual((await prints.of(copy)).print, print);
});

test('a folder has the print of the names in it', async (t) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-prints-'));
  t.after(() => fs.rmSync(folder, { recursive: true }));
  const prints = createFilePrints();
  const empty = await prints.of(folder);
  fs.writeFileSync(path.join(folder, 'a'), '1');
  const one = await prints.of(folder);
  fs.writeFileSync(path.join(folder, '.hidden'), '1');
  fs.writeFileSync(path.join(folder, 'a'), '2');
  assert.equal((await prints.of(folder)).print, one.print);
  fs.rmSync(path.join(folder, 'a'));
  assert.deepEqual([one.print === empty.print, (await prints.of(folder)).print === empty.print], [false, true]);
});
