import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { giveTo, removeLent, takeBack } from './giveTo.ts';

const skip = process.getuid?.() === 0 ? false : 'only root gives folders to others';
const nobody = { uid: 65534, gid: 65534 };

/** Puts a folder and a link to the one that is named in each other's place, without an end. */
const swapping = `
import os, sys
own, elsewhere = sys.argv[1:]
inner, aside = f"{own}/inner", f"{own}/aside"
print("ready", flush=True)
while True:
    for step in (lambda: os.rename(inner, aside), lambda: os.symlink(elsewhere, inner), lambda: os.unlink(inner), lambda: os.rename(aside, inner)):
        try: step()
        except OSError: pass
`;

interface Raced {
  /** Belongs to root; somebody else swaps what lies in `lent`. */
  readonly folder: string;
  readonly lent: string;
  /** What is true of the file that the links lead to. */
  secret(): readonly [uid: number, text: string];
}

function make(lent: string): void {
  fs.mkdirSync(path.join(lent, 'inner'), { recursive: true });
  fs.writeFileSync(path.join(lent, 'inner/mine'), 'mine');
  for (const place of [path.join(lent, 'inner'), lent]) fs.chownSync(place, nobody.uid, nobody.gid);
}

async function withRace(work: (raced: Raced) => Promise<void>): Promise<void> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-race-'));
  fs.chmodSync(folder, 0o755);
  const elsewhere = path.join(folder, 'elsewhere');
  fs.mkdirSync(elsewhere);
  fs.writeFileSync(path.join(elsewhere, 'secret'), 'secret');
  const lent = path.join(folder, 'around/lent');
  make(lent);
  const racer = spawn('python3', ['-c', swapping, lent, elsewhere], {
    ...nobody,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await once(racer.stdout, 'data');
    await work({
      folder: path.join(folder, 'around'),
      lent,
      secret: () => {
        const file = path.join(elsewhere, 'secret');
        return [fs.statSync(file).uid, fs.readFileSync(file, 'utf8')];
      },
    });
  } finally {
    racer.kill('SIGKILL');
    await once(racer, 'exit');
    fs.rmSync(folder, { recursive: true });
  }
}

describe('folders that somebody else writes links into at any moment', { skip }, () => {
  it('are given away without what the links lead to', () =>
    withRace(async ({ folder, lent, secret }) => {
      for (let round = 0; round < 1000; round++) {
        // As it is when the server made the folder around it: what is in it is not all its own.
        fs.chownSync(folder, 0, 0);
        fs.chownSync(lent, nobody.uid, nobody.gid);
        await giveTo(nobody, folder).catch((error: NodeJS.ErrnoException) => assert.match(error.code ?? '', /E/));
        assert.deepEqual(secret(), [0, 'secret'], `round ${round}`);
      }
    }));

  it('stand still once they are taken back', () =>
    withRace(async ({ lent, secret }) => {
      for (let round = 0; round < 100; round++) {
        fs.chmodSync(lent, 0o777);
        fs.chownSync(lent, nobody.uid, nobody.gid);
        await takeBack(lent).catch((error: NodeJS.ErrnoException) => assert.match(error.code ?? '', /E/));
        const [first, second] = [0, 1].map(() => fs.readdirSync(lent, { withFileTypes: true }));
        assert.deepEqual(first, second);
        assert.deepEqual(secret(), [0, 'secret']);
      }
    }));

  it('are removed without what the links lead to', () =>
    withRace(async ({ lent, secret }) => {
      for (let round = 0; round < 300; round++) {
        await removeLent(lent);
        assert.deepEqual([fs.existsSync(lent), ...secret()], [false, 0, 'secret'], `round ${round}`);
        make(lent);
      }
    }));
});
