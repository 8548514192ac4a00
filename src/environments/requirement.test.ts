import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readEnvironmentYaml, readRequirements, takeRequirements } from './importFiles.ts';
import { previewImport } from './preview.ts';
import { dependencyOf, withNameApart, withPython, withRequirements } from './projectFile.ts';
import { pythonFits } from './pythonFits.ts';
import { parseRequirement, RequirementError, withLowerBound } from './requirement.ts';

describe('a requirement', () => {
  const young = 'python_version < "3.11"';
  const good: [text: string, name: string, specifier: string | null, condition?: string][] = [
    ['six', 'six', null],
    [' Flask_SQLAlchemy ', 'flask-sqlalchemy', null],
    ['pandas>=2', 'pandas', '>=2'],
    ['pandas >= 2.1, < 3', 'pandas', '>=2.1,<3'],
    ['pandas (>=2)', 'pandas', '>=2'],
    ['polars[sql, s3]==1.*', 'polars', '==1.*'],
    ['a.b-c~=1.0.post1', 'a-b-c', '~=1.0.post1'],
    ['torch===2.1+cu118', 'torch', '===2.1+cu118'],
    [`tomli; ${young}`, 'tomli', null, young],
    ['six @ https://host.test/six-1.0-py3-none-any.whl', 'six', '@ https://host.test/six-1.0-py3-none-any.whl'],
    ['six[a]@git+https://host.test/six@v1#subdirectory=x', 'six', '@ git+https://host.test/six@v1#subdirectory=x'],
    [`six @ git+ssh://git@host.test/six ; ${young}`, 'six', '@ git+ssh://git@host.test/six', young],
  ];
  for (const [text, name, specifier, condition = null] of good) {
    const hasAddress = specifier?.startsWith('@') ?? false;
    const requirement = { name, specifier, condition, hasAddress, text: text.trim() };
    it(text, () => assert.deepEqual(parseRequirement(text), requirement));
  }

  it('gets a lower bound where a version would stand', () => {
    const bounded = ['six', 'Flask_SQLAlchemy', 'polars[sql, s3]', 'tomli; python_version < "3.11"'].map((text) =>
      withLowerBound(text, '2.1+cpu'),
    );
    assert.deepEqual(bounded, [
      'six>=2.1',
      'Flask_SQLAlchemy>=2.1',
      'polars[sql, s3]>=2.1',
      'tomli>=2.1; python_version < "3.11"',
    ]);
  });

  const bad = [
    '',
    ' ',
    '-r x',
    '--index-url=https://evil.test',
    'six --index-url x',
    'six six',
    'six,flask',
    'six\nflask',
    'six\r\nflask',
    './six',
    '/tmp/six.whl',
    'six.whl/..',
    'six @ file:///etc/passwd',
    'six @ ../six',
    'six @ https:///six.whl',
    'six @ https://host.test/six.whl https://host.test/other.whl',
    'six @ https://me:secret@host.test/six.whl',
    'six @ git+https://token@host.test/six',
    '--index-url @ https://host.test/six.whl',
    'git+https://evil.test/six',
    'six==',
    'six>=1,',
    'six[',
    'six; os.system("x") `id`',
    'six$(id)',
    '_six',
    'six-',
    'ѕix',
    'x'.repeat(201),
  ];
  for (const text of bad) {
    it(`not ${JSON.stringify(text.slice(0, 40))}`, () => assert.throws(() => parseRequirement(text), RequirementError));
  }

  it('is found bad in no time, however long it is made', () => {
    for (const text of ['a'.repeat(190), `a[${'b,'.repeat(90)}`, `a${'>=1,'.repeat(48)}`, `${'a-'.repeat(95)}!`]) {
      const began = performance.now();
      try {
        parseRequirement(text);
      } catch {}
      assert.ok(performance.now() - began < 5_000, text);
    }
  });
});

describe('lists of requirements', () => {
  it('requirements.txt: comments and blank lines go, options and repeats are refused', () => {
    const { requirements } = readRequirements('\ufeff# top\r\nsix # note\n\n  Flask==3 \n');
    assert.deepEqual(
      requirements.map(({ text }) => text),
      ['six', 'Flask==3'],
    );
    for (const text of ['-e .', '--hash=x', 'six\nSIX>1', 'six; python_version > "3"'])
      assert.throws(() => readRequirements(text), RequirementError);
  });

  it('environment.yaml: what uv can be told is taken, the rest is named', async () => {
    const { requirements, warnings } = await readEnvironmentYaml(`
name: mine
channels: [conda-forge]
dependencies:
  - python=3.12
  - numpy=1.26
  - conda-forge::pandas>=2
  - scipy=1.11=py311_0
  - pip
  - pip:
    - six==1.16
    - 7
  - {odd: thing}
`);
    assert.deepEqual(
      requirements.map(({ text }) => text),
      ['numpy==1.26', 'pandas>=2', 'six==1.16'],
    );
    assert.equal(warnings.length, 7);
    for (const text of [
      '[]',
      'a: b',
      'dependencies: 3',
      ': :',
      '- x',
      'dependencies: [six, SIX]',
      'dependencies: ["-e ."]',
      `dependencies: ${'['.repeat(200_000)}`,
      `dependencies:\n${'- x\n'.repeat(40_000)}`,
    ])
      await assert.rejects(readEnvironmentYaml(text), RequirementError, text);
  });

  it('a version that changes is both removed and added', () => {
    const current = [{ name: 'six', version: null, specifier: '==1.0' }];
    const { additions, removals } = previewImport(current, readRequirements('six==2.0\npyarrow\norjson\ncloudpickle'));
    assert.deepEqual(
      [additions.map(({ name }) => name), removals],
      [['cloudpickle', 'orjson', 'pyarrow', 'six'], current],
    );
  });

  it('so is a condition that changes, however it is quoted', () => {
    const runtime = ['pyarrow', 'orjson', 'cloudpickle'];
    const current = ["tomli; python_version < '3.11'", 'six; os_name == "nt"', ...runtime].map(dependencyOf);
    const next = ['tomli; python_version < "3.11"', 'six; os_name == "posix"', ...runtime].join('\n');
    const { additions, removals } = previewImport(current, takeRequirements(next));
    assert.deepEqual(
      [additions, removals],
      [
        [{ name: 'six', version: null, specifier: null, condition: 'os_name == "posix"' }],
        [{ name: 'six', version: null, specifier: null, condition: 'os_name == "nt"' }],
      ],
    );
  });
});

describe('requires-python', () => {
  const cases: [specifier: string, version: string, fits: boolean][] = [
    ['==3.13.*', '3.13.0', true],
    ['==3.13.*', '3.12.9', false],
    ['>=3.11', '3.12.1', true],
    ['>=3.11,<3.13', '3.13.0', false],
    ['~=3.11', '3.13.0', true],
    ['~=3.11.2', '3.12.0', false],
    ['!=3.12.*', '3.12.1', false],
    ['>3.12', '3.12.1', true],
    ['', '3.10.0', true],
  ];
  for (const [specifier, version, fits] of cases)
    it(`${specifier || 'nothing'} and ${version}`, () => assert.equal(pythonFits(specifier, version), fits));
});

describe('a requirement that somebody wrote into the project file', () => {
  it('is shown without the password of its address', () => {
    assert.deepEqual(dependencyOf('Six @ https://me:secret@host.test/six.whl'), {
      name: 'six',
      version: null,
      specifier: '@ https://***@host.test/six.whl',
    });
  });
});

describe('the project file', () => {
  const text = `# ours
[project]
name = "x"  # kept
requires-python = "==3.12.*"
dependencies = ["six"]

[tool.uv] # and this
`;
  it('is edited where it must be and nowhere else', () => {
    assert.equal(withPython(text, '3.13'), text.replace('==3.12.*', '==3.13.*'));
    assert.equal(
      withRequirements(text, ['six==1.0', 'flask']),
      text.replace('["six"]', '[\n    "six==1.0",\n    "flask",\n]'),
    );
    assert.equal(withRequirements(text, ['six']), text);
  });

  it('gets a name that is no package', () => {
    assert.equal(withNameApart(text, []), text.replace('"x"', '"x-notebook"'));
    const named = text.replace('"x"', '"scikit-learn"');
    assert.equal(withNameApart(named, ['six']), named);
    assert.equal(withNameApart(named, ['scikit-learn']), named.replace('"scikit-learn"', '"scikit-learn-notebook"'));
  });
});
