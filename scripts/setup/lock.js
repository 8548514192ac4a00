// One setup at a time per checkout: a second command waits for the first and then finds its work done.
import fs from 'node:fs';
import path from 'node:path';
import { tools } from './places.js';

const lockFile = path.join(tools, 'setup.lock');

/** @param {number} pid */
function isAlive(pid) {
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** Linked rather than written in place: a lock is there with its holder or not at all, so one without is debris. */
function tryTake() {
  fs.mkdirSync(tools, { recursive: true });
  const own = `${lockFile}.${process.pid}`;
  fs.writeFileSync(own, String(process.pid));
  try {
    fs.linkSync(own, lockFile);
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    const holder = readHolder();
    if (holder !== undefined && !isAlive(holder)) fs.rmSync(lockFile, { recursive: true, force: true });
    return false;
  } finally {
    fs.rmSync(own, { force: true });
  }
}

/** @returns {number | undefined} 0 for a lock that names nobody, undefined when it has just been given back */
function readHolder() {
  try {
    return Number(fs.readFileSync(lockFile, 'utf8'));
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'ENOENT' ? undefined : 0;
  }
}

/** @param {{ note(text: string): void }} report @param {() => Promise<void>} work */
export async function withLock(report, work) {
  let told = false;
  while (!tryTake()) {
    if (!told) report.note(`Waiting for another setup of this checkout to finish (it holds ${lockFile}) …`);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const release = () => fs.rmSync(lockFile, { force: true });
  process.once('exit', release);
  try {
    await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}
