// A server that may open no more files for a while: what it cannot read at that moment is neither empty nor gone.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';
import { notebookState } from '../src/protocol/index.ts';
import { descriptorsMissing, limitDescriptors } from './kit/descriptors.ts';
import { createTestNotebook } from './kit/notebook.ts';
import { startServer } from './kit/server.ts';

const skip =
  process.platform !== 'linux' ? 'limits of other processes are set on Linux' : (descriptorsMissing() ?? false);

it('texts that cannot be read for want of descriptors stay, and are read once they can be', { skip }, async () => {
  await using server = await startServer();
  const notebook = await createTestNotebook(server, 'Crowded');
  const cells: string[] = [];
  for (let at = 0; at < 8; at++) cells.push(await notebook.add(`x${at} = 1`));
  const { socket } = notebook;
  /** Over the connection that is open already. */
  const sourcesNow = async (): Promise<string> => {
    const frames = notebook.framesUntil(({ type }) => type === 'notebook_state');
    socket.send('notebook_sync');
    const state = notebookState.parse((await frames).findLast(({ type }) => type === 'notebook_state')?.payload);
    return state.cells.map(({ source }) => source).join();
  };
  const before = await sourcesNow();
  const after = before.replaceAll('= 1', '= 2');

  // One file at a time: the notebook's own can be read, those of its cells only in turn.
  const { lift } = limitDescriptors(server.process.pid, 1);
  for (const [at, cell] of cells.entries())
    fs.writeFileSync(path.join(notebook.path, 'cells', `${cell}.py`), `x${at} = 2`);
  const seen = new Set<string>();
  // Long enough for the watch to look several times.
  for (const until = performance.now() + 1000; performance.now() < until; ) seen.add(await sourcesNow());
  lift();
  for (let sources = ''; sources !== after; seen.add(sources)) sources = await sourcesNow();
  assert.deepEqual([...seen], [before, after]);
});
