// Which way imports may go between the rooms, as docs/architecture.md says it: from left to right, never within a step.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { it } from 'node:test';

const root = path.resolve(import.meta.dirname, '..');
const architecture = fs.readFileSync(path.join(root, 'docs/architecture.md'), 'utf8');

it('imports lead from room to room only as docs/architecture.md says', () => {
  const steps = stepsIn(architecture, 'Arrows point one way');
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

it('within the notebook they do too, and go through the doors', () => {
  const steps = stepsIn(architecture, 'Within the notebook');
  const within = importsBetween('src/notebook');
  assert.deepEqual(
    [...new Set(within.flatMap(({ from, to }) => [from, to]))].filter((room) => !steps.has(room)),
    [],
  );
  const wrong = within.filter(({ from, to }) => (steps.get(from) ?? 0) >= (steps.get(to) ?? 0));
  assert.deepEqual(
    wrong.map(({ file, from, to }) => `${file}: ${from} may not import ${to}`),
    [],
  );
  const beside = within.filter(({ place }) => path.basename(place) !== 'index.ts');
  assert.deepEqual(
    beside.map(({ file, place }) => `${file} goes past the door to ${place}`),
    [],
  );
});

it('the source takes from setup only where setup is asked for', () => {
  const asking = [...sourceFiles(), ...fs.globSync('src/*.ts', { cwd: root })].filter((file) =>
    placesIn(file).some((place) => place.startsWith('scripts/')),
  );
  const [, said = ''] = /Only ([^:]+?) and what hands out the built page take from/.exec(architecture) ?? [];
  const allowed = [...said.matchAll(/`([^`]+)`/g)].map(([, place = '']) => place);
  const page = ['src/http/routes/web.ts', 'src/notebook/exchange/chartSources.ts'];
  assert.deepEqual(
    asking.filter((file) => !page.includes(file) && !allowed.some((place) => file.startsWith(place))),
    [],
  );
});

/** Room -> how far to the right it stands. */
function stepsIn(page: string, words: string): Map<string, number> {
  const [, chain = ''] = new RegExp(`^${words}: \`([^\`]+)\``, 'm').exec(page) ?? [];
  const steps = chain.split('→').map((step) => step.split(',').map((room) => room.trim()));
  return new Map(steps.flatMap((rooms, place) => rooms.map((room): [string, number] => [room, place])));
}

function* sourceFiles(): Generator<string> {
  for (const name of fs.globSync('src/*/**/*.ts', { cwd: root }))
    if (!/\.test\.ts$|(^|\/)testing\.ts$/.test(name)) yield name;
}

/** What a file imports, by where it lies. */
function placesIn(file: string): string[] {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].map(([, place = '']) =>
    path.join(path.dirname(file), place),
  );
}

/** From one room into another; the few files that lie in no room are everybody's. */
function imports(): { file: string; from: string; to: string }[] {
  return [...sourceFiles()].flatMap((file) => {
    const rooms = placesIn(file)
      .filter((place) => /^src\/.*\//.test(place))
      .map(roomOf);
    return rooms.filter((to) => to !== roomOf(file)).map((to) => ({ file, from: roomOf(file), to }));
  });
}

/** The same between the rooms of one folder. */
function importsBetween(folder: string): { file: string; place: string; from: string; to: string }[] {
  const within = (place: string): string | undefined =>
    place.startsWith(`${folder}/`) ? /^([^/]+)\//.exec(place.slice(folder.length + 1))?.[1] : undefined;
  return [...sourceFiles()].flatMap((file) => {
    const from = within(file);
    if (from === undefined) return [];
    return placesIn(file).flatMap((place) => {
      const to = within(place);
      return to === undefined || to === from ? [] : [{ file, place, from, to }];
    });
  });
}

function roomOf(file: string): string {
  return file.split(path.sep)[1] ?? '';
}
