// Texts on which a pattern could begin again at each character: whatever somebody writes is read in one go.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Marked } from 'marked';
import { appPlace } from './appLayout.ts';
import { cellName, isImported } from './cellName.ts';
import { hostsNeeded } from './elsewhere.ts';
import { attachment } from './http/headers.ts';
import { mathRules } from './markdownMath.ts';
import { table } from './markdownTables.ts';
import { placeIn } from './mounts/storageOptions.ts';
import { parseNumber } from './notebook/annotations/words.ts';
import { messagesFor, proposalIn } from './notebook/assist/messages.ts';
import { connectionId } from './notebook/connections/identity.ts';
import { parseNotebookFile } from './notebook/document/parse.ts';
import { plotlyAsVega } from './notebook/exchange/plotlyAsVega.ts';
import { withoutCommentLines } from './notebook/languages/rComments.ts';
import { projectNameFor } from './notebook/storage/names.ts';
import { javascriptEffects } from './runtimes/javascript/effects.ts';
import { readJavaScript } from './runtimes/javascript/source.ts';
import { rEffects } from './runtimes/r/rEffects.ts';
import { hostsOfWidgets } from './widgetPage.ts';

const many = (part: string): string => part.repeat(Math.ceil(60_000 / part.length));
const noFiles = { opened: [], changed: [], isWhole: true, drew: false, hosts: [], programs: [], files: [] };
const python = { language: 'python', defines: ['a'] } as const;
const connection = { name: 'a', driver: 'sqlite', auth: {}, options: {}, credential: null };
const told = {
  task: 'explain',
  language: 'python',
  instruction: '',
  failure: null,
  names: '',
  values: '',
} as const;

const readings: Readonly<Record<string, () => unknown>> = {
  'a hint for the app': () => appPlace(`# @app tab a${many('\n')}`),
  'a hint with blanks': () => appPlace(`# @app tab a${many(' ')}b`),
  'the name of a cell': () => cellName({ ...python, source: `${many('\n')}a = 1` }),
  imports: () => isImported(many('from (\n'), 'a'),
  'scripts of an output': () => hostsNeeded(many('<script ')),
  'the name of a download': () => attachment(`a${many('_')}b`),
  'the name of a project': () => projectNameFor(`a${many('_')}b`),
  'a mount': () => placeIn(`s3://bucket/a${many('/')}b`),
  'formulas that do not end': () => new Marked({ extensions: mathRules(() => '') }).parse(many('$$a')),
  'a table whose rows are filled up to its width': () =>
    new Marked({ tokenizer: { table } }).parse(`${'a|'.repeat(5_000)}\n${'-|'.repeat(5_000)}\n${many('a|\n')}`),
  'a line that is no table': () => new Marked({ tokenizer: { table } }).parse(`${many('|')}\na`),
  'a number': () => parseNumber(`${many('1')}x`),
  'a source for a model': () => messagesFor({ ...told, source: `a${many('\n')}b` }),
  'an answer of a model': () => proposalIn(many('~')),
  'a connection': () => connectionId({ ...connection, extras: { uri: `file:a${many('&')}b` } }, '/', false),
  'a file of a notebook': () => assert.throws(() => parseNotebookFile(`a${many(' ')}`)),
  'a title of Plotly': () =>
    plotlyAsVega({ data: [{ type: 'scatter', x: [1], y: [2] }], layout: { title: many('<') } }),
  'comments of R': () => withoutCommentLines(many('"\\')),
  'raw texts of R': () => withoutCommentLines(many('r"()')),
  'what R does': () => rEffects(many('\n'), noFiles),
  'what JavaScript does': () => javascriptEffects(many('\n'), noFiles),
  'comments of JavaScript': () => readJavaScript(many('x /*b*/\n')),
  'a widget': () =>
    hostsOfWidgets({
      version_major: 2,
      version_minor: 0,
      model_id: 'a',
      text: '',
      is_heard: false,
      widgets: {
        version_major: 2,
        version_minor: 0,
        state: {
          a: { model_name: '', model_module: '', model_module_version: '', state: { _esm: `from${many(' ')}` } },
        },
      },
    }),
};

for (const [name, read] of Object.entries(readings))
  it(`${name}: 60 000 characters are read in one go`, () => {
    const began = performance.now();
    read();
    const milliseconds = performance.now() - began;
    assert.ok(milliseconds < 1_000, `${Math.round(milliseconds)} ms`);
  });
