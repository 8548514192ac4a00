// The corpus of notebooks with every ambiguous name made explicit: each cell can be read, and reads from the cells that it read from.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { ownCorpus, readCorpus } from '../../../tests/notebooks/corpus.ts';
import {
  createAnalysis,
  explicitNames,
  foreignNotebooks,
  type NamedCell,
  type PythonAnalysis,
} from '../../engine/index.ts';
import { analysisCommand, observedEngine } from '../../engine/testing.ts';
import { graphNames, parseAnnotations } from '../annotations/index.ts';
import { buildDag } from '../dag/index.ts';
import { createLateNames } from '../shape/lateNames.ts';
import { createModuleUse } from '../shape/usedModules.ts';

describe('every ambiguous name of a notebook of the corpus', async () => {
  for (const { name: file, jupyter } of await readCorpus(ownCorpus))
    it(`of ${file} can be made explicit, and cells read from the same cells`, async (t) => {
      await using engine = observedEngine(analysisCommand);
      const [analysis, names] = [createAnalysis(engine), explicitNames(engine)];
      const { cells } = await foreignNotebooks(engine).jupyter(z.json().parse(jupyter));
      const named = (sources: readonly string[]): NamedCell[] =>
        sources.map((source, place) => ({ language: cells[place]?.language ?? '', source, reads: [], defines: [] }));
      let sources = cells.map(({ source }) => source);
      const looked = async (texts: readonly string[]) =>
        analysis.analyseMany(texts.map((text, place) => (cells[place]?.language === 'python' ? text : '')));
      const before = await looked(sources);
      const meant = new Map<string, string>();
      const left: string[] = [];
      for (const { name } of await names.ambiguous(named(sources))) {
        const plan = await names.plan(name, named(sources));
        for (const step of plan.steps) meant.set(step.name, name);
        left.push(...plan.kept.map(({ cell, reason }) => `${name} in cell ${cell + 1}: ${reason}`));
        const changed = new Map(plan.cells.map(({ cell, source }) => [cell, source]));
        sources = sources.map((source, place) => changed.get(place) ?? source);
      }
      t.diagnostic(`${meant.size} steps; left: ${left.join(' | ') || 'nothing'}`);
      const after = await looked(sources);
      assert.deepEqual(
        after.map(({ error }) => error),
        before.map(({ error }) => error),
      );
      assert.deepEqual(edgesOf(after, sources, meant), edgesOf(before, sources, meant));
    });
});

/** `from -> to: name`, with the names as they were. */
function edgesOf(
  analyses: readonly PythonAnalysis[],
  sources: readonly string[],
  meant: ReadonlyMap<string, string>,
): string[] {
  const code = analyses.map((analysis, place) => ({
    dagCell: graphNames(String(place), analysis, parseAnnotations(sources[place] ?? '')),
    modules: analysis.modules,
    handed: analysis.handedReads,
    code: (analysis.module?.exports ?? [])
      .filter(({ kind }) => kind !== 'constant')
      .map(({ name, kind, needs, fills }) => ({ name, isClass: kind === 'class', needs, fills })),
  }));
  const used = createModuleUse()(code);
  const cells = createLateNames()(code.map((one, place) => ({ ...one, dagCell: used[place] ?? one.dagCell })));
  const edges = [...buildDag(cells, []).state.wirings.values()].flatMap((wiring) => wiring.edges);
  return [
    ...new Set(edges.map(({ from, to, variable }) => `${from} -> ${to}: ${meant.get(variable) ?? variable}`)),
  ].sort();
}
