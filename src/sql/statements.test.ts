import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRandom } from '../../tests/kit/random.ts';
import { type Dialect, tokensOf } from './lexer.ts';
import { readSql } from './statements.ts';

const references = (text: string, dialect: Dialect = 'sqlite'): readonly string[] => readSql(text, dialect).references;
const texts = (text: string, dialect: Dialect = 'sqlite'): string[] =>
  readSql(text, dialect).statements.map((statement) => statement.text);

describe('parameters', () => {
  it('are names after a colon, wherever code stands', () => {
    assert.deepEqual(references('SELECT :b, x FROM t WHERE a=:a AND b = :b'), ['b', 'a']);
    assert.deepEqual(references('SELECT a::int, b[1:n], :Ünknown'), []);
    assert.deepEqual(references("SELECT ':no', 'it''s :no', \":no\", `:no`, x -- :no\n, /* :no */ :yes"), ['yes']);
  });

  it('are not found in the strings of each dialect', () => {
    assert.deepEqual(references("SELECT 'a\\' :x ', :y", 'bigquery'), ['y']);
    assert.deepEqual(references("SELECT 'a\\', :x, ' :y'", 'sqlite'), ['x']);
    assert.deepEqual(references("SELECT E'a\\' :x ', :y", 'postgres'), ['y']);
    assert.deepEqual(references('SELECT $$ :x $$, $t$ :y $$ $t$, :z', 'postgres'), ['z']);
    assert.deepEqual(references('SELECT """ :x " """, r"\\", :y # :z', 'bigquery'), ['y']);
    assert.deepEqual(references('SELECT /* /* :x */ :y */ :z', 'postgres'), ['z']);
    assert.deepEqual(references('SELECT /* /* :x */ :z', 'snowflake'), ['z']);
  });

  it('become places for values, never text', () => {
    assert.deepEqual(readSql('SELECT :a, :b; SELECT :a ;; ', 'sqlite').statements, [
      { text: 'SELECT ?, ?', binds: ['a', 'b'] },
      { text: 'SELECT ?', binds: ['a'] },
    ]);
    assert.deepEqual(readSql('SELECT :a, :b, :a', 'postgres').statements, [
      { text: 'SELECT $1, $2, $1', binds: ['a', 'b'] },
    ]);
    const { statements, tables } = readSql('SELECT * FROM :sales JOIN :shops USING (id) WHERE n > :n', 'duckdb');
    assert.deepEqual(statements, [{ text: 'SELECT * FROM "sales" JOIN "shops" USING (id) WHERE n > ?', binds: ['n'] }]);
    assert.deepEqual(tables, ['sales', 'shops']);
  });
});

describe('statements', () => {
  it('end at semicolons that are code', () => {
    assert.deepEqual(texts("SELECT ';'; -- ; no\nSELECT 2 /* ; */;"), ["SELECT ';'", 'SELECT 2']);
    assert.deepEqual(texts(' ;; -- nothing\n'), []);
  });
});

describe('the digest of a query', () => {
  const digest = (text: string): string => readSql(text, 'sqlite').digest;

  it('does not see layout, comments and the case of keywords', () => {
    assert.equal(digest('select a\nfrom t -- why\n;'), digest('SELECT a FROM /* here */ t'));
  });

  it('sees names, values and their order', () => {
    const others = [
      'SELECT A FROM t',
      'SELECT b FROM t',
      'SELECT a FROM "t"',
      "SELECT 'a' FROM t",
      'SELECT a, a FROM t',
    ];
    assert.equal(new Set([...others, 'SELECT a FROM t'].map(digest)).size, 6);
  });
});

it('whatever a text holds, its tokens are pieces of it in order', (t) => {
  const random = createRandom((line) => t.diagnostic(line));
  const pieces = [
    "'",
    '"',
    '`',
    '$$',
    '$a$',
    '--',
    '/*',
    '*/',
    ':x',
    '::',
    ';',
    '\n',
    '\\',
    'E',
    '1.5e3',
    'é',
    '#',
    ' ',
    'word',
    '😀',
  ];
  for (let round = 0; round < 2000; round += 1) {
    const text = Array.from({ length: 12 }, () => pieces[random.below(pieces.length)]).join('');
    for (const dialect of ['sqlite', 'duckdb', 'postgres', 'snowflake', 'bigquery'] as const) {
      let end = 0;
      for (const token of tokensOf(text, dialect)) {
        assert.ok(token.start >= end && token.text.length > 0, `${dialect}: ${JSON.stringify(text)}`);
        assert.equal(text.slice(token.start, token.start + token.text.length), token.text);
        end = token.start + token.text.length;
      }
    }
  }
});
