import assert from 'node:assert/strict';
import { it } from 'node:test';
import { readingCode } from './readingCode.ts';

it('a file is read under a name of its own, in the way of its kind', () => {
  const code = (path: string, ...taken: string[]) => readingCode(path, new Set(taken));
  const read = (name: string, call: string) => `import pandas as pd\n${name} = ${call}\n${name}`;
  assert.equal(code('sales.csv'), read('sales', 'pd.read_csv("sales.csv")'));
  assert.equal(
    code('raw/Sales of 2026.TSV'),
    read('sales_of_2026', String.raw`pd.read_csv("raw/Sales of 2026.TSV", sep="\t")`),
  );
  assert.equal(code('2026.parquet'), read('data_2026', 'pd.read_parquet("2026.parquet")'));
  assert.equal(code('März.xlsx'), read('m_rz', 'pd.read_excel("März.xlsx")'));
  assert.equal(code('class.json'), read('class_2', 'pd.read_json("class.json")'));
  assert.equal(code('a.jsonl', 'a', 'a_2'), read('a_3', 'pd.read_json("a.jsonl", lines=True)'));
  assert.equal(code('say "hi".csv'), read('say_hi', String.raw`pd.read_csv("say \"hi\".csv")`));
  assert.equal(code('notes.txt'), 'with open("notes.txt", encoding="utf-8") as file:\n    notes = file.read()');
  assert.equal(code('日本'), 'with open("日本", "rb") as file:\n    data = file.read()');
  assert.equal(code('a.constructor'), 'with open("a.constructor", "rb") as file:\n    a = file.read()');
});
