import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type EnvironmentMode, environmentFor } from './environmentChoice.ts';

const lock = { key: 'k' };

function chosen(mode: EnvironmentMode, asked: 'locked' | 'own' | undefined, environment: unknown): string {
  try {
    return environmentFor(mode, { environmentKind: asked, environment });
  } catch {
    return 'refused';
  }
}

test('the operator of a worker bounds what a server may ask for', () => {
  const asked = [undefined, 'own', 'locked'] as const;
  const table = (['auto', 'own', 'locked'] as const).map((mode) => [
    mode,
    asked.map((kind) => chosen(mode, kind, lock)),
    asked.map((kind) => chosen(mode, kind, undefined)),
  ]);
  assert.deepEqual(table, [
    ['auto', ['locked', 'own', 'locked'], ['own', 'own', 'refused']],
    ['own', ['own', 'own', 'refused'], ['own', 'own', 'refused']],
    ['locked', ['locked', 'refused', 'locked'], ['refused', 'refused', 'refused']],
  ]);
});
