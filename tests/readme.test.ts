// Every command that the README shows is run; what it says of files and routes is true.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { cleanEnvironment, newHome, startServer } from './kit/server.ts';

const root = path.resolve(import.meta.dirname, '..');
const readme = fs.readFileSync(path.join(root, 'README.md'), 'utf8');
const commands = [...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = '']) =>
  block
    .split('\n')
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter(Boolean),
);

/** Run elsewhere: `npm start` by the lifecycle tests, `npm test` by whoever runs this. */
const coveredElsewhere = new Set(['npm start', 'npm test']);

describe('README', () => {
  it('shows the two commands', () => assert.deepEqual(commands.slice(0, 2), ['npm start', 'npm test']));

  for (const command of commands.filter((one) => !coveredElsewhere.has(one))) {
    it(`runs: ${command}`, async () => {
      const home = newHome();
      const [program = '', ...args] = command.split(' ');
      const { stdout } = await promisify(execFile)(program, args, {
        cwd: root,
        env: cleanEnvironment(home),
        maxBuffer: 2 ** 26,
      });
      assert.notEqual(stdout.trim(), '');
      fs.rmSync(home, { recursive: true, force: true });
    });
  }

  it('makes the first notebook that it shows', async () => {
    const home = newHome();
    const [, script = ''] = /```bash\n(.*?)```/s.exec(readme) ?? [];
    const { stdout } = await promisify(execFile)('bash', ['-ec', script], { cwd: root, env: cleanEnvironment(home) });
    assert.match(
      stdout,
      /^created .*first\n○ \w+ {2}numbers\n45\n✓ \w+ \d+ms\n[\s\S]*0 ran, 2 cached[\s\S]*sum\(numbers\)\n$/,
    );
    fs.rmSync(home, { recursive: true, force: true });
  });

  it('links to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)]+)\)/g)].map(([, target = '']) => target);
    assert.deepEqual(
      links.filter((target) => !fs.existsSync(path.join(root, target))),
      [],
    );
  });

  it('names routes that answer', async () => {
    await using server = await startServer();
    const answers = await Promise.all(
      ['/docs', '/redoc', '/health/dependencies'].map((place) => server.rest.get(place)),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200],
    );
  });
});
