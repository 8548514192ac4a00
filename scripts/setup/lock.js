// One setup at a time per checkout: a second command waits for the first and then finds its work done.
import fs from 'node:fs';
import path from 'node:path';
import { tools } from './places.js';

const lockFile = path.join(tools, 'setup.lock');

/** @param {number} pid */
function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

function tryTake() {
  fs.mkdirSync(tools, { recursive: true });
  try {
    fs.writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = Number(fs.existsSync(lockFile) ? fs.readFileSync(lockFile, 'utf8') : 0);
    if (holder > 0 && !isAlive(holder)) fs.rmSync(lockFile, { force: true });
    return false;
  }
}

/** @param {{ note(text: string): void }} report @param {() => Promise<void>} work */
export async function withLock(report, work) {
  let told = false;
  while (!tryTake()) {
    if (!told) report.note('Waiting for another setup of this checkout to finish …');
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  try {
    await work();
  } finally {
    fs.rmSync(lockFile, { force: true });
  }
}
