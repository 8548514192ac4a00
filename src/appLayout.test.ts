import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { appHintProblem, appPlace, arrange } from './appLayout.ts';

const usual = { isHidden: false, isAside: false, tab: null, width: 12 };

describe('the place of a cell in the app', () => {
  for (const [source, expected] of [
    ['x = 1', usual],
    ['# @app hide\nx = 1', { ...usual, isHidden: true }],
    ['x = 1\n  # @app  hide\n', { ...usual, isHidden: true }],
    ['-- @app sidebar\nselect 1', { ...usual, isAside: true }],
    ['<!-- @app sidebar -->\n# Filters', { ...usual, isAside: true }],
    ['# @app tab Model quality \n# @app width 1/2\ny', { ...usual, tab: 'Model quality', width: 6 }],
    ['# @app width 2/3', { ...usual, width: 8 }],
    ['# @app width 5/4\n# @app width wide\n# @app width 1/0\n# @app tab\n# @app left', usual],
  ] as const)
    it(`of ${JSON.stringify(source)}`, () => assert.deepEqual(appPlace(source), expected));

  it('is asked for in words that are known, and what to write instead is said', () => {
    assert.deepEqual(['hide', 'sidebar', 'tab All', 'width 1/3', 'tab', 'width 3/2', 'left', ''].map(appHintProblem), [
      null,
      null,
      null,
      null,
      'a tab needs a name: # @app tab Results',
      'a width is a part of the page: # @app width 1/2',
      'use hide, sidebar, tab NAME or width 1/2',
      'use hide, sidebar, tab NAME or width 1/2',
    ]);
  });
});

it('an app keeps the order of the notebook: tabs that follow each other are one set, the sidebar stands apart', () => {
  const sources = [
    'title',
    '# @app sidebar\nfilter',
    '# @app width 1/2\nleft',
    '# @app width 1/2\nright',
    '# @app tab A\na1',
    '# @app sidebar\nmore',
    '# @app tab B\nb',
    '# @app hide\nhelper',
    '# @app tab A\n# @app width 1/3\na2',
    'between',
    '# @app tab A\nother set',
  ];
  const last = (source: string): string => source.split('\n').at(-1) ?? '';
  const { aside, blocks } = arrange(sources, (source) => source);
  assert.deepEqual(aside.map(last), ['filter', 'more']);
  const shown = blocks.map((block) =>
    block.kind === 'part'
      ? `${last(block.part)} ${block.width}`
      : block.tabs.map(({ name, parts }) => [name, ...parts.map(({ part, width }) => `${last(part)} ${width}`)]),
  );
  assert.deepEqual(shown, [
    'title 12',
    'left 6',
    'right 6',
    [
      ['A', 'a1 12', 'a2 4'],
      ['B', 'b 12'],
    ],
    'between 12',
    [['A', 'other set 12']],
  ]);
});
