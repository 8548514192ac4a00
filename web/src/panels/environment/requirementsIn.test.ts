import assert from 'node:assert/strict';
import { it } from 'node:test';
import { rebaseNamed } from '../settings/rebase.ts';
import { declaredBy, requirementsIn } from './requirementsIn.ts';

const cases: readonly (readonly [text: string, found: readonly string[]])[] = [
  ['pandas', ['pandas']],
  ['pandas numpy', ['pandas', 'numpy']],
  ['pandas>=2,<3, numpy\nsix', ['pandas>=2,<3', 'numpy', 'six']],
  ['pandas >= 2 , < 3 numpy', ['pandas >= 2 , < 3', 'numpy']],
  ['pip install polars[sql]==1.* altair', ['polars[sql]==1.*', 'altair']],
  ['%pip install -q six', ['-q six']],
  ['tool @ git+https://example.org/tool six', ['tool @ git+https://example.org/tool', 'six']],
  ['tomli; python_version < "3.11", six', ['tomli; python_version < "3.11"', 'six']],
  ['  ', []],
];

for (const [text, found] of cases)
  it(`finds packages in ${JSON.stringify(text)}`, () => assert.deepEqual(requirementsIn(text), found));

it('undo of a package leaves each line of another one that others changed since, under whatever condition it stands', () => {
  const [old, young] = ['numpy<2; python_version < "3.12"', 'numpy>=2; python_version >= "3.12"'];
  const pinned = "numpy==1.26; python_version<'3.12'";
  const undone = rebaseNamed(declaredBy)([old, young, 'Six_Pack'], [old, young], [pinned, young, 'six-pack']);
  assert.deepEqual(undone, [pinned, young]);
});
