// R cells with the R of this machine: values to and from Python, plots, tables, errors, and what stops them.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createTestNotebook, openTestNotebook, type TestNotebook } from './kit/notebook.ts';
import { startServer, type TestServer } from './kit/server.ts';

const hasR = (() => {
  try {
    execFileSync('Rscript', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();
// CI installs R; a machine without it runs everything else.
const skip = hasR || process.env.SVC_TEST_ALL === '1' ? false : 'Rscript is not on the path';

let server: TestServer;
let notebook: TestNotebook;
before(async () => {
  server = await startServer();
  notebook = await createTestNotebook(server, 'R');
});
after(() => server[Symbol.asyncDispose]());

async function addR(source: string, to: TestNotebook = notebook): Promise<string> {
  const { id } = Object((await to.request('POST', '/cells', { language: 'r' })).json);
  await to.edit(id, source);
  return id;
}

describe('an R cell', { skip }, () => {
  it('that read a file is stale when the file changed, and says what it touched', async () => {
    const own = await createTestNotebook(server, 'R files');
    const file = path.join(own.path, 'work/prices.csv');
    await fs.mkdir(path.dirname(file), { recursive: true });
    await fs.writeFile(file, 'n\n1\n2\n');
    const cell = await addR(
      'prices <- read.csv("prices.csv")\ntotal <- sum(prices$n)\nwriteLines("x", "out.txt")\ntotal',
      own,
    );
    const chance = await addR('set.seed(1)\nfixed <- runif(1)', own);
    const drawn = await addR('drawn <- runif(1)\nnow <- Sys.time()', own);
    for (const id of [cell, chance, drawn]) assert.equal((await own.run(id)).status, 'ready');
    const touched = async (id: string) => {
      const { read, written, clock, entropy } = (await own.cell(id)).effects ?? {};
      return { read, written, clock, entropy };
    };
    assert.deepEqual(await Promise.all([cell, chance, drawn].map(touched)), [
      { read: ['work/prices.csv'], written: ['work/out.txt'], clock: false, entropy: false },
      { read: [], written: [], clock: false, entropy: false },
      { read: [], written: [], clock: true, entropy: true },
    ]);
    await fs.writeFile(file, 'n\n10\n20\n');
    await own.run(cell);
    assert.equal((await own.cell(cell)).console_stdout, '[1] 30\n');
  });

  it('takes part in the graph, reads Python values and gives its own', async () => {
    await notebook.add(
      'n = 4\nnames_ = ["a", "b"]\nsettings = {"deep": {"x": 1.5}, "none": None}\nnumbers = [1, 2.5, None]',
    );
    const cell = await addR(
      'total <- n * settings$deep$x\nwords <- rev(c("é", "b\\n"))\nflags <- c(TRUE, NA)\nboth <- list(one = 1L, more = list(2.25, "x"))\nm <- mean(numbers, na.rm = TRUE)',
    );
    const { defines, references } = await notebook.cell(cell);
    assert.deepEqual(
      [defines, references],
      [
        ['total', 'words', 'flags', 'both', 'm'],
        ['n', 'numbers', 'settings'],
      ],
    );
    const reader = await notebook.add('[total, words, flags, both, m]');
    assert.deepEqual((await notebook.run(reader)).display?.preview, [
      6,
      ['b\n', 'é'],
      [true, null],
      { one: 1, more: [2.25, 'x'] },
      1.75,
    ]);
    assert.equal((await notebook.run(cell)).cache_hit, true);
  });

  it('exchanges tables with exact types and missing values', async () => {
    await notebook.add(
      'import pyarrow as pa, datetime as dt\ntable = pa.table({"i": pa.array([1, None], pa.int32()), "d": [0.1, None], "s": ["a\\\\n\\nb", None], "b": [True, None], "day": [dt.date(2024, 2, 29), None], "at": pa.array([dt.datetime(2024, 1, 1, 12, 30, tzinfo=dt.timezone.utc), None], pa.timestamp("us", "UTC"))})',
    );
    await addR(
      'back <- table\nback$f <- factor(c("x", NA))\nback$i <- back$i + 1L\nkinds <- vapply(table, function(x) class(x)[[1]], "")',
    );
    const reader = await notebook.add(
      '[list(kinds), [str(t) for t in pa.table(back).schema.types], pa.table(back).select(["i", "d", "s", "b"]).to_pydict(), str(pa.table(back)["day"][0]), str(pa.table(back)["at"][0])]\n',
    );
    await notebook.edit(
      reader,
      `import pyarrow as pa\nback_ = pa.Table.from_pandas(back) if hasattr(back, "iloc") else back\n${(await notebook.cell(reader)).source.replaceAll('pa.table(back)', 'back_')}`,
    );
    assert.deepEqual((await notebook.run(reader)).display?.preview, [
      ['integer', 'numeric', 'character', 'logical', 'Date', 'POSIXct'],
      [
        'int32',
        'double',
        'string',
        'bool',
        'date32[day]',
        'timestamp[us, tz=UTC]',
        'dictionary<values=string, indices=int32, ordered=0>',
      ],
      { i: [2, null], d: [0.1, null], s: ['a\\n\nb', null], b: [true, null] },
      '2024-02-29',
      '2024-01-01 12:30:00+00:00',
    ]);
  });

  it('reads a table of nanoseconds, to the microsecond', async () => {
    await notebook.add(
      'import pyarrow as pa\nfine = pa.table({"at": pa.array([1_767_225_600_500_000_001], pa.timestamp("ns", "UTC")), "of_day": pa.array([1], pa.int64()).cast(pa.time64("ns"))})',
    );
    const cell = await addR('cat(format(fine$at, "%Y-%m-%d %H:%M:%OS1"), fine$of_day)');
    assert.equal((await notebook.run(cell)).stdout, '2026-01-01 00:00:00.5 "00:00:00.000000001"');
  });

  it('prints what is visible, shows plots and the table it ends with', async () => {
    const cell = await addR('invisible(1)\n1:3\nmessage("noted")\nplot(1:3)\nhist(c(1, 2, 2))\ndata.frame(x = 1:30)');
    const { stdout, stderr, displays } = await notebook.run(cell);
    assert.deepEqual([stdout, stderr], ['[1] 1 2 3\n', 'noted\n']);
    assert.deepEqual(
      displays.map((display) => [Object(display).content_type, Object(display).rows ?? Object(display).width]),
      [
        ['image/png', 800],
        ['image/png', 800],
        ['arrow/ipc', 30],
      ],
    );
    assert.match(String(Object(displays[0]).inline_data_url), /^data:image\/png;base64,iVBOR/);
    const svg = await addR('options(svc.plot = "svg")\nplot(1)');
    assert.equal(Object((await notebook.run(svg)).displays[0]).content_type, 'image/svg+xml');
  });

  it('keeps for R what only R reads, and says so to Python', async () => {
    await addR('model <- lm(dist ~ speed, data = cars)');
    const inR = await addR('slope <- round(coef(model)[["speed"]], 3)');
    await notebook.run(inR);
    assert.equal((await notebook.run(await notebook.add('slope'))).display?.preview, 3.932);
    assert.match((await notebook.run(await notebook.add('model'))).error ?? '', /R cannot|x-r-rds|read in Python/);
    const pickled = await notebook.add('odd = {1, 2}');
    const fails = await notebook.run(await addR('odd'));
    assert.match(fails.error ?? '', /The input 'odd' is of type pickle\/object, which R cannot read/);
    await notebook.request('DELETE', `/cells/${pickled}`);
  });

  it('says what went wrong, where, and what to install', async () => {
    const failing = await notebook.run(await addR('inner <- function(x) stop("too ", x)\ninner("bad")'));
    assert.match(failing.error ?? '', /too bad/);
    assert.match(failing.traceback ?? '', /1: inner\("bad"\)/);
    const missing = await notebook.run(await addR('library(nosuchpackage)'));
    assert.deepEqual([missing.suggest_install, missing.suggest_install_language], ['nosuchpackage', 'r']);
    for (const line of ['# @table t a.b', '# @dataset d team/numbers'])
      assert.match((await notebook.run(await addR(`${line}\n1`))).error ?? '', /^NotInR: @dataset and @table give/);
    const broken = await notebook.run(await addR('x <- ('));
    assert.match(broken.error ?? '', /unexpected/);
    const gone = await notebook.run(await addR('quit(status = 3)'));
    assert.match(gone.error ?? '', /R ended with status 3 before the cell had a result/);
  });

  it('runs in an R that waited for it, from the first one of a notebook', async () => {
    const first = await addR('waited <- 1');
    const runs = [await notebook.run(first), await notebook.run(await addR('waited + 1'))];
    assert.deepEqual(
      runs.map(({ status, execution_method }) => [status, execution_method]),
      [
        ['ready', 'warm'],
        ['ready', 'warm'],
      ],
    );
  });

  it('is cancelled with everything it started and its temporary files, and keeps to its limit', async () => {
    const slow = await addR('saveRDS(1:9, tempfile())\ncat(tempdir())\nsystem("sleep 100")');
    const printed = notebook.framesUntil(({ type, payload }) => type === 'cell_console' && payload.cell_id === slow);
    const ended = notebook.framesUntil(
      ({ type, payload }) => type === 'cell_status' && payload.cell_id === slow && payload.status === 'idle',
    );
    notebook.socket.send('cell_execute_rerun', { cell_id: slow });
    const folder = String((await printed).at(-1)?.payload.text);
    assert.equal((await fs.readdir(folder)).length, 1);
    notebook.socket.send('cell_cancel', { cell_id: slow });
    await ended;
    await assert.rejects(fs.access(folder), { code: 'ENOENT' });
    const late = await notebook.run(await addR('# @timeout 1\nSys.sleep(60)'));
    assert.match(late.error ?? '', /did not finish within 1 s .* @timeout annotation/);
  });

  it('cannot name files outside its own folder as its results', async () => {
    const cell = await addR(`out <- environment(getOption("device"))$out
forged <- '{"error":null,"variables":{},"displays":[{"content_type":"image/png","file":"../../../notebook.toml"}]}'
writeLines(forged, file.path(out, "result.json"))
quit("no")`);
    assert.match((await notebook.run(cell)).error ?? '', /R ended with status 0 before the cell had a result/);
  });

  it('ends with its server, however that ends, and leaves its temporary files to the next one', async () => {
    await using doomed = await startServer();
    const own = await createTestNotebook(doomed, 'Doomed');
    const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'svc-lifeline-'));
    const pipe = path.join(folder, 'held');
    execFileSync('mkfifo', [pipe]);
    // Reads for as long as R, or anything that R started, holds the other end.
    const reader = spawn('cat', [pipe]);
    const begun = once(reader.stdout, 'data').then(([piece]) => String(piece).trim());
    const over = once(reader, 'exit');
    const id = await addR(
      `held <- file("${pipe}", "w")\ncat(tempdir(), file = held)\nflush(held)\nSys.sleep(600)`,
      own,
    );
    own.socket.send('cell_execute_rerun', { cell_id: id });
    const left = await begun;
    await doomed.stop('SIGKILL');
    await over;
    await fs.rm(folder, { recursive: true });
    await using next = await startServer({ home: doomed.home });
    const later = await openTestNotebook(next, own.path);
    assert.equal((await later.run(await addR('1 + 1', later))).status, 'ready');
    await assert.rejects(fs.access(left), { code: 'ENOENT' });
  });
});
