// R processes that wait for their cell: nothing that a cell can see tells them from fresh ones, and nothing hangs on them.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { RunResult } from '../src/runtimes/index.ts';
import { findProgram } from './kit/parts.ts';
import { startRCells } from './kit/rCells.ts';

// CI installs R; a machine without it runs everything else.
const hasR = findProgram('Rscript') !== undefined || process.env.SVC_TEST_ALL === '1';

/** All that an R cell can ask its process about where it stands. */
const looks = `
local({
  everything <- Sys.getenv()
  print(everything[setdiff(names(everything), c("TMPDIR", "R_SESSION_TMPDIR"))])
  print(search())
  print(sort(loadedNamespaces()))
  print(lapply(options(), deparse))
  print(list(getwd(), commandArgs(TRUE), ls(globalenv(), all.names = TRUE), sys.nframe()))
  print(list(exists(".Random.seed", globalenv()), RNGkind(), dev.list(), Sys.getlocale(), interactive(), .libPaths()))
  print(list(nrow(showConnections()), list.files(dirname(tempdir()), "^[^R]")))
  input <- file("stdin", "r")
  print(readLines(input))
  close(input)
  set.seed(7)
  print(runif(2))
})
`;

/** A package that reads, changes and says things when it is loaded and attached. */
const talkative = {
  DESCRIPTION:
    'Package: talkative\nVersion: 1.0\nTitle: Says Things\nDescription: Says.\nAuthor: A\nMaintainer: A <a@b.c>\nLicense: MIT\n',
  NAMESPACE: 'export(told)\nexport(job)\n',
  'R/all.R': `told <- NULL
job <- function() "of the package"
.onLoad <- function(libname, pkgname) {
  told <<- paste(Sys.getenv("MOOD"), basename(getwd()))
  options(talkative = told)
  Sys.setenv(TALKATIVE = "loaded")
  cat("on stdout\\n")
}
.onAttach <- function(libname, pkgname) {
  packageStartupMessage("attached in a ", Sys.getenv("MOOD"), " mood")
  warning("careful")
}
`,
};

const sources = {
  'no packages': looks,
  'packages of R': `library(stats4)\n# next\nlibrary("splines")\n${looks}`,
  'a package that says and does things': `library(talkative) # first\n${looks}\nprint(list(told, job()))`,
  'a package that is not there': `library(stats4)\nlibrary(nosuchpackage)\n${looks}`,
  'packages after something else': `x <- 1\nlibrary(stats4)\n${looks}`,
  'a text that is no R': 'library(talkative)\nlibrary(stats4)\nx <- (',
  'an error': `library(stats4)\nf <- function() stop("no")\nf()`,
  'nothing but packages': 'library(stats4)',
  'values of others': `library(stats4)\n${looks}\nwords <- c(n, "more")`,
};

describe('an R cell in a process that waited for it', { skip: !hasR && 'Rscript is not on the path' }, () => {
  let folder: string;
  let library: string;
  const policyWith = (more: Record<string, string>) => ({
    policy: { variables: { ...process.env, R_LIBS: library, ...more }, allowlist: [] },
  });

  before(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'svc-r-'));
    library = path.join(folder, 'library');
    const source = path.join(folder, 'talkative');
    fs.mkdirSync(path.join(source, 'R'), { recursive: true });
    fs.mkdirSync(library);
    for (const [name, text] of Object.entries(talkative)) fs.writeFileSync(path.join(source, name), text);
    execFileSync('R', ['CMD', 'INSTALL', '--no-docs', '-l', library, source], { stdio: 'ignore' });
  });
  after(() => fs.rmSync(folder, { recursive: true }));

  for (const [what, source] of Object.entries(sources))
    it(`sees and gives what a fresh one would: ${what}`, async () => {
      const number = path.join(folder, 'n.json');
      fs.writeFileSync(number, '["a"]');
      const job = {
        env: { MOOD: 'good', LANGUAGE: 'en' },
        inputs: { n: { contentType: 'json/object', file: number } },
        storesAll: true,
      };
      const place = fs.mkdtempSync(path.join(folder, 'notebook-'));
      await using cold = startRCells(place, { ...policyWith({}), size: 0 });
      await using warm = startRCells(place, policyWith({}));
      const expected = told(await cold.run(source, job));
      assert.equal(expected.method, 'cold');
      for (const round of ['for anything', 'for this cell']) {
        warm.pool.wake();
        await warm.pool.settled();
        assert.deepEqual(told(await warm.run(source, job)), { ...expected, method: 'warm' }, round);
      }
    });

  it('tells of a text that is no R, and nothing of what runs it', async () => {
    await using cells = startRCells(fs.mkdtempSync(path.join(folder, 'notebook-')));
    const { error } = await cells.run('x <- (');
    assert.deepEqual(error?.text, 'Error: <text>:2:0: unexpected end of input\n1: x <- (\n   ^');
  });

  it('finds profiles and packages as they are when it runs', async () => {
    await using cells = startRCells(fs.mkdtempSync(path.join(folder, 'notebook-')), policyWith({}));
    const { pool, run } = cells;
    async function waitAndRun(source: string): Promise<string> {
      const { stdout, error } = await run(source);
      pool.wake();
      await pool.settled();
      return error?.message ?? stdout;
    }
    assert.equal(await waitAndRun('cat(getOption("mine", "unset"))'), 'unset');
    fs.writeFileSync(path.join(cells.folder, '.Rprofile'), 'options(mine = "set")\n');
    assert.equal(await waitAndRun('cat(getOption("mine", "unset"))'), 'set');
    const version = 'library(talkative)\ncat(as.character(packageVersion("talkative")), is.null(told))';
    assert.equal(await waitAndRun(version), 'on stdout\n1.0 FALSE');
    fs.renameSync(path.join(library, 'talkative'), path.join(library, 'hidden'));
    assert.match(await waitAndRun(version), /there is no package called/);
    fs.renameSync(path.join(library, 'hidden'), path.join(library, 'talkative'));
    assert.equal(await waitAndRun(version), 'on stdout\n1.0 FALSE');
  });

  it('is there again at once after every run, and killing it harms nobody', async () => {
    await using cells = startRCells(fs.mkdtempSync(path.join(folder, 'notebook-')));
    cells.pool.wake();
    await cells.pool.settled();
    const first = cells.pool.pids;
    assert.equal(first.length, 2);
    for (const pid of first) process.kill(pid, 'SIGKILL');
    const { outcome, stdout } = await cells.run('cat("ran")');
    assert.deepEqual([outcome, stdout], ['success', 'ran']);
    cells.pool.wake();
    await cells.pool.settled();
    assert.deepEqual([cells.pool.pids.length, cells.pool.pids.filter((pid) => first.includes(pid))], [2, []]);
  });

  it('waits for anything where it cannot wait for this cell', async () => {
    await using cells = startRCells(fs.mkdtempSync(path.join(folder, 'notebook-')));
    // The second round finds those that were begun for this cell, and could not be made ready.
    for (const round of [1, 2]) {
      cells.pool.wake();
      await cells.pool.settled();
      assert.equal(cells.pool.pids.length, 2, `round ${round}`);
      assert.equal((await cells.run('library(nosuchpackage)')).executionMethod, 'warm');
    }
  });

  it('is ended when nobody calls for a while, when the library changes, and with the notebook', async (t) => {
    const place = fs.mkdtempSync(path.join(folder, 'notebook-'));
    const gone = async (pids: readonly number[]): Promise<void> => {
      for (const pid of pids) await once(spawn('tail', [`--pid=${pid}`, '-s', '0.01', '-f', '/dev/null']), 'exit');
    };
    t.mock.timers.enable({ apis: ['setTimeout'] });
    await using shortly = startRCells(place);
    shortly.pool.wake();
    await shortly.pool.settled();
    const idle = shortly.pool.pids;
    t.mock.timers.tick(599_000);
    assert.deepEqual([idle.length, shortly.pool.pids], [2, idle]);
    t.mock.timers.tick(1000);
    await gone(idle);
    t.mock.timers.reset();
    assert.deepEqual(shortly.pool.pids, []);
    assert.equal((await shortly.run('1')).outcome, 'success');
    const cells = startRCells(place);
    cells.pool.wake();
    await cells.pool.settled();
    const old = cells.pool.pids;
    await cells.pool.rest();
    await gone(old);
    cells.pool.wake();
    assert.deepEqual(cells.pool.pids, []);
    cells.pool.resume();
    cells.pool.wake();
    await cells.pool.settled();
    const last = cells.pool.pids;
    assert.equal(last.length, 2);
    await cells.pool.close();
    await gone(last);
  });
});

/** All of a result but how long it took and where it lay. */
function told({ durationMs, executionMethod, ...result }: RunResult): Record<string, unknown> {
  return { ...result, method: executionMethod };
}
