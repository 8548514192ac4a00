import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readRequirements, takeEnvironmentYaml, takeRequirements } from './importFiles.ts';

const wild = `\ufeff# made by hand
-r base.txt
-e ./mine
--index-url https://index.example.org/simple
-c constraints.txt
requests[socks]>=2 # for the proxy
numpy<2; python_version < "3.13"
numpy>=2; python_version >= "3.13"
six==1.16.0 \\
    --hash=sha256:aaaa \\
    --hash=sha256:bbbb
Six
tool @ git+https://example.org/tool.git@v1
git+https://example.org/other.git
./wheels/mine-1.0-py3-none-any.whl
pandas == 2.*
`.replaceAll('\n', '\r\n');

describe('a list that was written for another tool', () => {
  it('is taken as far as it can be read, and the rest is named', () => {
    const { requirements, warnings } = takeRequirements(wild);
    assert.deepEqual(
      requirements.map(({ text }) => text),
      [
        'requests[socks]>=2',
        'numpy<2; python_version < "3.13"',
        'numpy>=2; python_version >= "3.13"',
        'six==1.16.0',
        'tool @ git+https://example.org/tool.git@v1',
        'pandas == 2.*',
      ],
    );
    assert.deepEqual(warnings, [
      ...['-r base.txt', '-e ./mine', '--index-url https://index.example.org/simple', '-c constraints.txt'].map(
        (line) => `the line "${line}" was not followed`,
      ),
      'Six is left out: six==1.16.0 stands before it',
      ...['git+https://example.org/other.git', './wheels/mine-1.0-py3-none-any.whl'].map(
        (line) => `"${line}" is not one package requirement; write a name with or without a version, such as pandas>=2`,
      ),
    ]);
  });

  it('keeps nobody waiting, as long as it may be', { timeout: 20_000 }, () => {
    const lines = Array.from({ length: 80_000 }, (_, at) => `p${at.toString(36)}`);
    const { requirements, warnings } = takeRequirements([...lines, 'p1', 'p2>1'].join('\n'));
    assert.deepEqual([requirements.length, warnings], [lines.length, ['p2>1 is left out: p2 stands before it']]);
  });

  it('is refused as a whole where that was not asked for', () =>
    assert.throws(() => readRequirements(wild), { name: 'RequirementError' }));

  it('of conda is taken with its pip section', async () => {
    const { requirements, warnings } = await takeEnvironmentYaml(`name: lab
channels: [conda-forge, defaults]
dependencies:
  - python=3.11
  - pip
  - numpy=1.26.4=py311h64a7726_0
  - conda-forge::xarray>=2024
  - scipy=1.11
  - matplotlib-base
  - pip:
      - -r requirements.txt
      - tomli; python_version < "3.11"
      - 3
`);
    assert.deepEqual(
      requirements.map(({ text }) => text),
      ['xarray>=2024', 'scipy==1.11', 'matplotlib-base', 'tomli; python_version < "3.11"'],
    );
    assert.deepEqual(warnings, [
      'channels are ignored: packages come from the Python index',
      'python=3.11 is ignored: the notebook has its own Python version',
      'pip is ignored: uv installs',
      'numpy=1.26.4=py311h64a7726_0 is ignored: a build of conda is not a version of the Python index',
      'the channel of xarray>=2024 is ignored: conda-forge',
      'entries of pip that are no text are ignored',
      'the line "-r requirements.txt" was not followed',
    ]);
  });
});
