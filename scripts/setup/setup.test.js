// Setup as people meet it: quick when there is nothing to do, clear when something is missing.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { root } from './places.js';
import { findUv } from './uv.js';

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @param {string} [checkout]
 * @returns {Promise<{ code: number, stderr: string }>}
 */
async function setup(args, env = {}, checkout = root) {
  try {
    const { stderr } = await promisify(execFile)(process.execPath, [path.join(checkout, 'scripts/setup.js'), ...args], {
      env: { ...process.env, ...env },
    });
    return { code: 0, stderr };
  } catch (error) {
    const failed = Object(error);
    return { code: failed.code, stderr: failed.stderr };
  }
}

/** A checkout with the setup of this one and nothing installed. @returns {string} */
function bareCheckout() {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-bare-'));
  for (const name of ['package.json', 'package-lock.json', '.npmrc', 'scripts', 'python']) {
    fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
  }
  fs.mkdirSync(path.join(folder, 'src'));
  return folder;
}

/** The same, as if the packages were there; never linked to the real ones, which a failing test could then delete. */
function checkoutWithModules() {
  const folder = bareCheckout();
  fs.mkdirSync(path.join(folder, 'node_modules/.bin'), { recursive: true });
  fs.symlinkSync(process.execPath, path.join(folder, 'node_modules/.bin/node'));
  fs.copyFileSync(path.join(root, 'node_modules/.svc-stamp'), path.join(folder, 'node_modules/.svc-stamp'));
  return folder;
}

/** A path on which only the named programs are found. @param {string} folder @param {string[]} programs */
function pathWith(folder, programs) {
  const bin = path.join(folder, 'bin-of-test');
  fs.mkdirSync(bin);
  for (const program of programs) {
    const found = (process.env.PATH ?? '')
      .split(path.delimiter)
      .map((place) => path.join(place, program))
      .find((file) => fs.existsSync(file));
    if (found) fs.symlinkSync(fs.realpathSync(found), path.join(bin, program));
  }
  return bin;
}

describe('setup', () => {
  it('is silent and quick when nothing changed', async () => {
    await setup(['--for', 'test']);
    /** @type {number[]} */
    const ours = [];
    /** @type {number[]} */
    const bare = [];
    const added = () => Math.min(...ours) - Math.min(...bare);
    // In turns with a Node that does nothing; on a busy machine some turns are quiet.
    for (let round = 0; round < 5 || (round < 30 && added() > 250); round++) {
      let began = performance.now();
      assert.deepEqual(await setup(['--for', 'test']), { code: 0, stderr: '' });
      ours.push(performance.now() - began);
      began = performance.now();
      await promisify(execFile)(process.execPath, ['-e', '0']);
      bare.push(performance.now() - began);
    }
    assert.ok(added() < 250, `setup took ${Math.round(added())} ms beyond the start of Node`);
  });

  it('knows what was built by its text: sources that were only checked out anew are built', async (t) => {
    await setup(['--for', 'command']);
    const folder = bareCheckout();
    t.after(() => fs.rmSync(folder, { recursive: true, force: true }));
    for (const name of ['src', 'bin']) fs.cpSync(path.join(root, name), path.join(folder, name), { recursive: true });
    const stamp = path.join(folder, 'dist/.svc-stamp');
    fs.mkdirSync(path.dirname(stamp));
    fs.copyFileSync(path.join(root, 'dist/.svc-stamp'), stamp);
    fs.utimesSync(stamp, 0, 0);
    const program = `
      import { isBuilt } from '${path.join(folder, 'bin/isBuilt.js')}';
      import { buildStep } from '${path.join(folder, 'scripts/setup/build.js')}';
      console.log(JSON.stringify([isBuilt(), await buildStep.isDone(), isBuilt()]));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    assert.deepEqual(JSON.parse(stdout), [false, true, true]);
  });

  it('says what to do without a registry', async () => {
    const checkout = bareCheckout();
    const cache = path.join(checkout, 'empty-cache');
    const env = { npm_config_registry: 'http://127.0.0.1:9/', npm_config_cache: cache, npm_config_fetch_retries: '0' };
    const { code, stderr } = await setup(['--for', 'modules'], env, checkout);
    assert.equal(code, 1);
    assert.match(stderr, /The packages could not be installed/);
    assert.match(stderr, /No package registry could be reached\. Check the network/);
    fs.rmSync(checkout, { recursive: true, force: true });
  });

  it('says what to do without Python', async () => {
    const checkout = checkoutWithModules();
    const env = { PATH: pathWith(checkout, ['node', 'npm']), HOME: checkout, PYENV_ROOT: checkout };
    const { code, stderr } = await setup(['--for', 'check'], env, checkout);
    // A Python in one of the places that are always looked at would be found, rightly.
    const always = ['/usr/local/bin/python3', '/opt/homebrew/bin/python3'].some((file) => fs.existsSync(file));
    if (always) assert.equal(code, 0);
    else {
      assert.equal(code, 1);
      assert.match(stderr, /No Python 3\.10 or newer was found.*Install one and run the same command again/s);
    }
    fs.rmSync(checkout, { recursive: true, force: true });
  });

  it('refuses a purpose it does not know', async () => {
    const { code, stderr } = await setup(['--for', 'nothing']);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /There is no setup for 'nothing'\.\n {2}Use --for with one of: modules, command, check, start/,
    );
  });

  it('lets one work at a time, and takes over from one that died', async () => {
    const checkout = checkoutWithModules();
    fs.mkdirSync(path.join(checkout, '.tools'));
    fs.writeFileSync(path.join(checkout, '.tools/setup.lock'), '999999999');
    const results = await Promise.all([
      setup(['--for', 'check'], {}, checkout),
      setup(['--for', 'check'], {}, checkout),
    ]);
    assert.deepEqual(
      results.map(({ code }) => code),
      [0, 0],
    );
    assert.equal(fs.existsSync(path.join(checkout, '.tools/setup.lock')), false);
    fs.rmSync(checkout, { recursive: true, force: true });
  });

  it('does not wait for a lock that nobody holds', async () => {
    const checkout = checkoutWithModules();
    fs.mkdirSync(path.join(checkout, '.tools'));
    fs.writeFileSync(path.join(checkout, '.tools/setup.lock'), '');
    assert.equal((await setup(['--for', 'check'], {}, checkout)).code, 0);
    fs.rmSync(checkout, { recursive: true, force: true });
  });

  it('says what to do when it cannot write', async () => {
    const checkout = checkoutWithModules();
    fs.writeFileSync(path.join(checkout, '.tools'), 'in the way');
    const { code, stderr } = await setup(['--for', 'check'], {}, checkout);
    assert.equal(code, 1);
    assert.match(
      stderr,
      /✗ Setup cannot work in this checkout: .*\.tools'\n {2}Make the checkout and its `\.tools` folder/,
    );
    assert.doesNotMatch(stderr, /^ {4}at /m);
    fs.rmSync(checkout, { recursive: true, force: true });
  });

  for (const told of ['setup', 'its shell']) {
    it(`leaves nothing at work when ${told} is told to end`, { timeout: 30_000 }, async () => {
      const checkout = bareCheckout();
      const bin = path.join(checkout, 'bin-of-test');
      fs.mkdirSync(bin);
      const program = "trap 'kill $!; touch npm-ended; exit' TERM\nsleep 60 & touch npm-started\nwait\n";
      fs.writeFileSync(path.join(bin, 'npm'), `#!/bin/sh\n${program}`, { mode: 0o755 });
      const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` };
      const command = `"${process.execPath}" scripts/setup.js --for modules`;
      // As npm does it: a shell that waits, or for the other case one that becomes setup itself.
      const child = spawn('/bin/sh', ['-c', told === 'setup' ? `exec ${command}` : `${command} && true`], {
        cwd: checkout,
        env,
        stdio: 'ignore',
      });
      const appeared = async (/** @type {string} */ name) => {
        while (!fs.existsSync(path.join(checkout, name))) await new Promise((resolve) => setTimeout(resolve, 20));
      };
      await appeared('npm-started');
      child.kill();
      await appeared('npm-ended');
      while (fs.existsSync(path.join(checkout, '.tools/setup.lock')))
        await new Promise((resolve) => setTimeout(resolve, 20));
      fs.rmSync(checkout, { recursive: true, force: true });
    });
  }
});

describe('uv', () => {
  /** @param {string[]} files */
  function machineWith(files) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-managed-'));
    for (const file of files) {
      fs.mkdirSync(path.dirname(path.join(folder, file)), { recursive: true });
      fs.writeFileSync(path.join(folder, file), '#!/nowhere\n');
    }
    return folder;
  }

  for (const real of ['versions/3.12.1/bin/uv', 'installs/uv/0.9.1/uv', 'installs/uv/0.9.1/uv-x86_64/uv']) {
    it(`is the program itself and not a version manager's script for it: ${real}`, () => {
      const folder = machineWith(['shims/uv', 'versions/3.11.7/bin/python3', real]);
      assert.equal(findUv({ PATH: path.join(folder, 'shims') }), path.join(folder, real));
    });
  }

  it('is that script where the program is not found, and what stands on the path before it', () => {
    const folder = machineWith(['shims/uv', 'bin/uv', 'versions/3.11.7/bin/python3']);
    const [shims, bin] = [path.join(folder, 'shims'), path.join(folder, 'bin')];
    assert.equal(findUv({ PATH: shims }), path.join(shims, 'uv'));
    assert.equal(findUv({ PATH: `${bin}${path.delimiter}${shims}` }), path.join(bin, 'uv'));
  });
});

describe('lock files', () => {
  it('name no registry', () => {
    for (const file of [
      'package-lock.json',
      'python/svc_engine/requirements.txt',
      'scripts/setup/uv-requirements.txt',
    ]) {
      const lines = fs.readFileSync(path.join(root, file), 'utf8').split('\n');
      const hosts = lines.filter(
        (line) => /resolved|index-url|registry\./.test(line) && !/"url":|"funding"/.test(line),
      );
      assert.deepEqual(hosts, [], file);
    }
  });
});
