// What leads uv to other places than the indexes of this machine, in every way that a project file and a lock know.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { foreignInProject, isForeignLock } from './foreignSources.ts';

const project = (text: string): string => `[project]\nname = "n"\nversion = "0"\n${text}`;

describe('a project file', () => {
  it('may say which versions it wants', () => {
    const said = [
      'dependencies = ["pandas>=2", "polars[sql]==1.*; python_version < \'3.12\'"]',
      'dependencies = []\n[tool.uv]\n',
      'dependencies = []\n[dependency-groups]\ndev = ["pytest", { include-group = "more" }]\nmore = []',
      'dependencies = []\n[tool.uv]\nconstraint-dependencies = ["numpy<2"]\nexclude-newer = "2026-01-01"\n[tool.ruff]\nx = 1',
    ];
    assert.deepEqual(
      said.map((text) => foreignInProject(project(text))),
      said.map(() => undefined),
    );
  });

  it('names no place', () => {
    const said = {
      'x @ …': 'dependencies = ["a", "x @ http://inner/x-1-py3-none-any.whl"]',
      'y[z] @ …': 'dependencies = []\n[project.optional-dependencies]\nmore = ["y[z]@git+ssh://inner/y"]',
      'w @ …': 'dependencies = []\n[dependency-groups]\ndev = ["w @ file:///etc/w"]',
      'v @ …': 'dependencies = []\n[tool.uv]\noverride-dependencies = ["v @ http://inner/v.whl"]',
      'index under [tool.uv]': 'dependencies = []\n[[tool.uv.index]]\nurl = "http://inner/simple"',
      'sources under [tool.uv]': 'dependencies = ["x"]\n[tool.uv.sources]\nx = { path = "/srv/x" }',
      'find-links under [tool.uv]': 'dependencies = []\n[tool.uv]\nfind-links = ["http://inner"]',
      'workspace under [tool.uv]': 'dependencies = []\n[tool.uv.workspace]\nmembers = ["../../*"]',
    };
    assert.deepEqual(
      Object.values(said).map((text) => foreignInProject(project(text))),
      Object.keys(said),
    );
  });
});

it('a lock is taken where its files lie with the indexes of this machine', async () => {
  const [environment, { UV_INDEX, UV_DEFAULT_INDEX }] = [process.env, process.env];
  Object.assign(environment, { UV_INDEX: 'https://index.example/simple', UV_DEFAULT_INDEX: 'https://pypi.org/simple' });
  try {
    const root = '[[package]]\nname = "n"\nversion = "0"\nsource = { virtual = "." }\n';
    const of = (source: string, files = ''): string =>
      `version = 1\n${root}[[package]]\nname = "x"\nversion = "1"\nsource = { ${source} }\n${files}`;
    const wheel = (url: string): string => `wheels = [{ url = "${url}", hash = "sha256:00" }]`;
    const taken = [
      of('registry = "https://index.example/simple"', wheel('https://index.example/files/x.whl')),
      of('registry = "https://pypi.org/simple"', wheel('https://files.pythonhosted.org/x.whl')),
      of('registry = "https://pypi.org/simple"', 'sdist = { url = "https://files.pythonhosted.org/x.tar.gz" }'),
    ];
    const left = [
      of('registry = "http://inner/simple"', wheel('http://inner/x.whl')),
      of('registry = "https://pypi.org/simple"', wheel('http://169.254.169.254/x.whl')),
      of('registry = "https://pypi.org/simple"', 'wheels = [{ path = "/srv/x.whl" }]'),
      of('registry = "https://pypi.org/simple"', 'sdist = { url = "http://inner/x.tar.gz" }'),
      of('registry = "/srv/packages"', wheel('https://files.pythonhosted.org/x.whl')),
      ...['git = "http://inner/x"', 'url = "http://inner/x.whl"', 'path = "/x"', 'directory = "/x"'].map((one) =>
        of(one),
      ),
      of('editable = "/srv"'),
      'no lock at all [',
    ];
    assert.deepEqual(
      await Promise.all(taken.map(isForeignLock)),
      taken.map(() => false),
    );
    assert.deepEqual(
      await Promise.all(left.map(isForeignLock)),
      left.map(() => true),
    );
  } finally {
    for (const [name, value] of Object.entries({ UV_INDEX, UV_DEFAULT_INDEX }))
      if (value === undefined) delete environment[name];
      else environment[name] = value;
  }
});
