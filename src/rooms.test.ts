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
    [...new Set([...filesIn('src')].map(roomOf))].filter((room) => !steps.has(room)),
    [],
  );
  assertDownward(importsBetween('src'), steps);
});

it('they go through the doors, or past them where docs/architecture.md says so', () => {
  const [, said = ''] = /Beside the doors, [^:]+: ([^.]+(?:\.ts[^.]+)*)\. /.exec(architecture) ?? [];
  const besides = [...said.matchAll(/`([^`]+)`/g)].map(([, place = '']) => `src/${place}`);
  const past = importsBetween('src').filter(({ place, to }) => place !== `src/${to}/index.ts`);
  assert.deepEqual(past.filter(({ place }) => !besides.some((beside) => place.startsWith(beside))).map(asWords), []);
  // One that nobody takes any more is struck off.
  assert.deepEqual(
    besides.filter((beside) => !past.some(({ place }) => place.startsWith(beside))),
    [],
  );
});

it('within the notebook they do too, and go through the doors', () => {
  const within = importsBetween('src/notebook');
  assertDownward(within, stepsIn(architecture, 'Within the notebook'));
  assert.deepEqual(within.filter(({ place }) => path.basename(place) !== 'index.ts').map(asWords), []);
});

it('within the page they do too, and the page takes only what is made for both sides', () => {
  assertDownward(importsBetween('web/src'), stepsIn(architecture, 'Within the page'));
  const taken = [...filesIn('web/src')].flatMap(placesIn).filter((place) => /^src\/.*\//.test(place));
  assert.deepEqual([...new Set(taken.map(roomOf))].sort(), ['model', 'protocol']);
});

it('no two doors hand out the same name: one word for one thing', () => {
  const doors = fs.globSync(['src/*/index.ts', 'src/notebook/*/index.ts'], { cwd: root });
  const places = new Map<string, string[]>();
  for (const door of doors) {
    // The door of the notebook hands on what its own rooms do.
    if (door === path.join('src', 'notebook', 'index.ts')) continue;
    for (const name of handedOutBy(door)) places.set(name, [...(places.get(name) ?? []), door]);
  }
  assert.deepEqual(
    [...places].filter(([, several]) => several.length > 1),
    [],
  );
});

it('the source takes from setup only where setup is asked for', () => {
  const asking = [...filesIn('src'), ...fs.globSync('src/*.ts', { cwd: root })].filter((file) =>
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

/** Those of its rooms. */
function* filesIn(folder: string): Generator<string> {
  for (const name of fs.globSync(`${folder}/*/**/*.{ts,tsx}`, { cwd: root }))
    if (!/\.test\.ts$|(^|\/)testing\.ts$/.test(name)) yield name;
}

/** What a file imports, by where it lies. */
function placesIn(file: string): string[] {
  const text = fs.readFileSync(path.join(root, file), 'utf8');
  return [...text.matchAll(/(?:from|import\(?)\s*'(\.[^']+)'/g)].map(([, place = '']) =>
    path.join(path.dirname(file), place),
  );
}

function handedOutBy(door: string): string[] {
  const text = fs.readFileSync(path.join(root, door), 'utf8');
  const lists = [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) => list.split(','));
  return lists.flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? []);
}

interface Import {
  readonly file: string;
  /** Where the imported file lies. */
  readonly place: string;
  readonly from: string;
  readonly to: string;
}

/** From one room of a folder into another; the few files that lie in no room are everybody's. */
function importsBetween(folder: string): Import[] {
  const within = (place: string): string | undefined =>
    place.startsWith(`${folder}/`) ? /^([^/]+)\//.exec(place.slice(folder.length + 1))?.[1] : undefined;
  return [...filesIn(folder)].flatMap((file) => {
    const from = within(file);
    if (from === undefined) return [];
    return placesIn(file).flatMap((place) => {
      const to = within(place);
      return to === undefined || to === from ? [] : [{ file, place, from, to }];
    });
  });
}

/** Every room stands on the line, and none takes from a room that does not stand to the right of it. */
function assertDownward(between: readonly Import[], steps: ReadonlyMap<string, number>): void {
  assert.deepEqual(
    [...new Set(between.flatMap(({ from, to }) => [from, to]))].filter((room) => !steps.has(room)),
    [],
  );
  const wrong = between.filter(({ from, to }) => (steps.get(from) ?? 0) >= (steps.get(to) ?? 0));
  assert.deepEqual(
    wrong.map(({ file, from, to }) => `${file}: ${from} may not import ${to}`),
    [],
  );
}

const asWords = ({ file, place }: Import): string => `${file} goes past the door to ${place}`;

function roomOf(file: string): string {
  return file.split(path.sep)[1] ?? '';
}
