// Cells in a row as a notebook runs them: each is given what earlier cells have defined and stores what later ones read.
// What came of them is told without places and moments, so that two ways to run them can be compared as a whole.
import path from 'node:path';
import { createAnalysis, createEngine } from '../../src/engine/index.ts';
import type { Effects, InputFile } from '../../src/runtimes/index.ts';
import type { Cells, FinishedCell } from './cells.ts';
import { bareInterpreter } from './pythonEnvironment.ts';

export interface Chain {
  readonly name: string;
  readonly sources: readonly string[];
}

interface Names {
  readonly defines: readonly string[];
  readonly reads: readonly string[];
  readonly mutationDefines: readonly string[];
}

/** What each source defines and reads. */
export async function namesOf(sources: readonly string[]): Promise<Names[]> {
  const program = path.join(import.meta.dirname, '../../python/svc_engine/__main__.py');
  const engine = createEngine({
    name: 'analysis',
    command: await bareInterpreter(),
    args: ['-I', '-S', program, 'analysis'],
  });
  try {
    const found = await createAnalysis(engine).analyseMany(sources);
    return found.map(({ defines, references, mutationDefines }) => ({ defines, reads: references, mutationDefines }));
  } finally {
    await engine.close();
  }
}

export async function runChain(cells: Cells, { sources }: Chain, names: readonly Names[]): Promise<string[]> {
  const inputs: Record<string, InputFile> = {};
  const told: string[] = [];
  for (const [place, source] of sources.entries()) {
    const { defines = [], reads = [], mutationDefines = [] } = names[place] ?? {};
    const later = new Set(names.slice(place + 1).flatMap((one) => one.reads));
    const given = Object.fromEntries(Object.entries(inputs).filter(([name]) => reads.includes(name)));
    const wanted = [...defines, ...mutationDefines].filter((name) => later.has(name));
    const cellId = `cell-${place}`;
    const done = await cells.run(source, { cellId, inputs: given, wanted, mutationDefines });
    for (const name of wanted) if (done.variables[name]?.file !== undefined) inputs[name] = done.input(name);
    told.push(tell(cells, done, given));
  }
  return told;
}

function tell(cells: Cells, done: FinishedCell, given: Readonly<Record<string, InputFile>>): string {
  const {
    executionMethod: _how,
    durationMs: _long,
    peakBytes: _peak,
    outputDir: _place,
    input: _input,
    text: _text,
    ...rest
  } = done;
  const mutationWarnings = rest.mutationWarnings.filter(
    ({ var_name }) => given[var_name]?.contentType !== 'module/import',
  );
  return JSON.stringify({ ...rest, mutationWarnings, effects: rest.effects && namesIn(rest.effects) }, null, 1)
    .replaceAll(cells.folder, '<folder>')
    .replaceAll(/output-\d+/g, 'output');
}

/** What was touched, whatever the moment and the number of the file. */
const namesIn = (effects: Effects): object => ({
  ...effects,
  read: effects.read.map((file) => file.path),
  listed: effects.listed.map((folder) => folder.path),
});

/** The same without what tells the bytes of values apart. */
export const withoutBytes = (told: string): string => told.replaceAll(/"(sha256|bytes)": [^,\n]+/g, '"$1": 0');
