// Which way imports may go between the rooms, as docs/architecture.md says it: from left to right, never within a step.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');

it('imports lead from room to room only as docs/architecture.md says', () => {
  const steps = stepsIn(fs.readFileSync(path.join(root, 'docs/architecture.md'), 'utf8'));
  assert.deepEqual(
    [...new Set([...sourceFiles()].map(roomOf))].filter((room) => !steps.has(room)),
    [],
  );
  const wrong = imports().filter(({ from, to }) => (steps.get(from) ?? 0) >= (steps.get(to) ?? 0));
  assert.deepEqual(
    wrong.map(({ file, from, to }) => `${file}: ${from} may not import ${to}`),
    [],
  );
});

/** Room -> how far to the right it stands. */
function stepsIn(page: string): Map<string, number> {
  const [, chain = ''] = /^Arrows point one way: `([^`]+)`/m.exec(page) ?? [];
  const steps = chain.split('→').map((step) => step.split(',').map((room) => room.trim()));
  return new Map(steps.flatMap((rooms, place) => rooms.map((room): [string, number] => [room, place])));
}

function* sourceFiles(): Generator<string> {
  for (const name of fs.globSync('src/*/**/*.ts', { cwd: root }))
    if (!/\.test\.ts$|(^|\/)testing\.ts$/.test(name)) yield name;
}

/** From one room into another; the few files that lie in no room are everybody's. */
function imports(): { file: string; from: string; to: string }[] {
  return [...sourceFiles()].flatMap((file) => {
    const text = fs.readFileSync(path.join(root, file), 'utf8');
    const named = [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, place = '']) =>
      path.join(path.dirname(file), place),
    );
    const rooms = named.filter((place) => /^src\/.*\//.test(place)).map(roomOf);
    return rooms.filter((to) => to !== roomOf(file)).map((to) => ({ file, from: roomOf(file), to }));
  });
}

function roomOf(file: string): string {
  return file.split(path.sep)[1] ?? '';
}
