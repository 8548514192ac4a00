import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ruffProgram } from '../places.ts';
import { createRuff } from './ruff.ts';

const program = ruffProgram();
const signal = AbortSignal.timeout(60_000);

describe('ruff', { skip: program === null && 'the engine has not been prepared' }, () => {
  const ruff = createRuff(program ?? '');
  const seen = async (source: string, known: readonly string[] = []) =>
    (await ruff.check(source, known, signal))?.map(({ code, from, to }) => [code, source.slice(from, to)]);

  it('marks names that are not used or not known, by their place in the text', async () => {
    assert.deepEqual(await seen('import os\nimport sys\n\nprint("😀", os.sep, price, pirce)\n', ['price']), [
      ['F401', 'sys'],
      ['F821', 'pirce'],
    ]);
    assert.deepEqual(await seen('def f(a=[]):\r\n    x = 1\r\n'), [
      ['B006', '[]'],
      ['F841', 'x'],
    ]);
  });

  it('is told of the names that the text holds, however many there are elsewhere', async () => {
    const many = Array.from({ length: 50_000 }, (_, at) => `name_${at}`);
    assert.deepEqual(await seen('name_7 + name_50000\n', many), [['F821', 'name_50000']]);
  });

  it('has nothing to say of what a cell may do: show its last value, wait at its top level', async () => {
    assert.deepEqual(await seen('import asyncio\nawait asyncio.sleep(0)\nx = 1\nx\n'), []);
    assert.deepEqual(await seen(''), []);
  });

  it('leaves a text alone that is not Python', async () => {
    assert.equal(await ruff.check('%time x = 1', [], signal), undefined);
    assert.equal(await ruff.format('x = (', signal), undefined);
  });

  it('formats a text', async () => {
    assert.equal(
      await ruff.format("# @name a\nx = [1,\n2]\ny=f( 'a' )", signal),
      '# @name a\nx = [1, 2]\ny = f("a")\n',
    );
  });

  it('is given up by whoever asked', async () => {
    await assert.rejects(ruff.check('x = 1', [], AbortSignal.abort()), { name: 'AbortError' });
  });
});
