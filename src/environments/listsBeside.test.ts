// Lists that lie beside notebooks of others: what is taken of each, and what becomes of it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mergedRequirements, readListsBeside } from './listsBeside.ts';
import { parseRequirement } from './requirement.ts';

const taken = async (name: string, text: string): Promise<[string[], readonly string[]]> => {
  const { requirements, left } = await readListsBeside([{ name, text }]);
  return [requirements.map((one) => one.text), left];
};

describe('a list beside a notebook', () => {
  it('of pip gives its lines; what is for pip alone is named', async () => {
    const text = `-r base.txt
six==1.16.0 \\
    --hash=sha256:abc \\
    --hash=sha256:def
pandas>=2  # tables
tomli; python_version < "3.11"
jupyterlab==4
tool @ git+https://host.test/tool
two words
`;
    assert.deepEqual(await taken('requirements.txt', text), [
      ['six==1.16.0', 'pandas>=2', 'tomli; python_version < "3.11"'],
      [
        'requirements.txt: the line "-r base.txt" was not followed',
        'requirements.txt: "tool @ git+https://host.test/tool" names an address instead of a version; write a name with or without a version, such as pandas>=2',
        'requirements.txt: "two words" is not one package requirement; write a name with or without a version, such as pandas>=2',
      ],
    ]);
  });

  it('of conda gives what the Python index has', async () => {
    const text = 'dependencies:\n  - python=3.11\n  - numpy=1.26.4\n  - pip:\n      - rich==13.7.0\n';
    assert.deepEqual(await taken('environment.yml', text), [
      ['numpy==1.26.4', 'rich==13.7.0'],
      ['environment.yml: python=3.11 is ignored: the notebook has its own Python version'],
    ]);
  });

  it('of a project leaves out what is optional', async () => {
    const text = `[project]
dependencies = ["six~=1.16"]
[project.optional-dependencies]
test = ["pytest"]
[tool.poetry.dependencies]
python = "^3.11"
pandas = "^2.1"
attrs = "^0.3.1"
idna = "~3.4.1"
rich = { version = "*", optional = true }
yarl = { version = "1.9" }
own = { path = "../own" }
`;
    assert.deepEqual(await taken('pyproject.toml', text), [
      ['six~=1.16', 'pandas>=2.1,<3.0', 'attrs>=0.3.1,<0.4', 'idna>=3.4.1,<3.5', 'yarl==1.9'],
      [
        'pyproject.toml: "own @ another place" names an address instead of a version; write a name with or without a version, such as pandas>=2',
      ],
    ]);
  });

  it('that cannot be read is named, and the others count', async () => {
    const { requirements, left } = await readListsBeside([
      { name: 'pyproject.toml', text: '[project' },
      { name: 'requirements.txt', text: 'six' },
    ]);
    assert.deepEqual(
      [requirements.map((one) => one.text), left.map((line) => line.slice(0, 34))],
      [['six'], ['pyproject.toml: it cannot be read:']],
    );
  });
});

it('what the notebook says of a version counts before lists, and a version before none', () => {
  const parsed = (texts: string[]) => texts.map((text) => parseRequirement(text));
  const own = parsed(['pandas==2.1', 'six', 'attrs']);
  const listed = parsed(['six==1.16.0', 'pandas>=1', 'PyYAML', 'pyyaml>=6']);
  assert.deepEqual(mergedRequirements(own, listed), ['six==1.16.0', 'pandas==2.1', 'pyyaml>=6', 'attrs']);
});
