// Sources with their words told apart, well enough to read them: strings, comments, numbers, keywords.
import { type CellLanguage, languageFacts } from '../cellLanguages.ts';
import { type Colour, type Line, plainLines, type Span } from './lines.ts';

const words = {
  python:
    'and as assert async await break class continue def del elif else except False finally for from global if import in is lambda None nonlocal not or pass raise return True try while with yield match case',
  javascript:
    'async await break case catch class const continue debugger default delete do else export extends false finally for function if import in instanceof let new null of return static super switch this throw true try typeof undefined var void while with yield',
  r: 'if else repeat while function for next break TRUE FALSE NULL Inf NaN NA library',
  sql: 'select from where group by order having limit offset join left right inner outer full cross on using as with union all distinct insert into values update set delete create table view and or not in is null like between case when then else end over partition asc desc exists',
} as const;

interface Rule {
  readonly token: RegExp;
  readonly keywords: ReadonlySet<string>;
  readonly ignoresCase: boolean;
}

const numbers = String.raw`(?<number>\b\d[\d_.]*(?:e[+-]?\d+)?\b)`;
const names = String.raw`(?<word>[\p{L}_]\w*)`;
const rule = (keywords: string, comment: string, strings: string, ignoresCase = false): Rule => ({
  token: new RegExp(`(?<comment>${comment}.*)|(?<string>${strings})|${numbers}|${names}`, 'gu'),
  keywords: new Set(keywords.split(' ')),
  ignoresCase,
});

const strings = String.raw`"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\])*(?:"|$)|'(?:\\.|[^'\\])*(?:'|$)`;
/** By grammar. */
const rules: Readonly<Record<string, Rule>> = {
  python: rule(words.python, '#', strings),
  javascript: rule(words.javascript, String.raw`(?:#|\/\/)`, `${strings}|\`(?:\\\\.|[^\`\\\\])*(?:\`|$)`),
  r: rule(words.r, '#', strings),
  sql: rule(words.sql, '--', "'(?:''|[^'])*(?:'|$)", true),
};

const colours: Readonly<Record<string, Colour>> = {
  comment: 'gray',
  string: 'green',
  number: 'cyan',
  keyword: 'magenta',
};

export function highlighted(source: string, language: CellLanguage): readonly Line[] {
  const found = rules[languageFacts[language].grammar ?? ''];
  const lines = plainLines(source);
  if (!found) return lines.map((text) => [{ text: text || ' ' }]);
  // Strings may go over several lines, so the whole text is read and then cut.
  return cutAtEnds(spansOf(lines.join('\n'), found));
}

function spansOf(text: string, { token, keywords, ignoresCase }: Rule): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(token)) {
    if (match.index > at) spans.push({ text: text.slice(at, match.index) });
    const kind = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined)?.[0] ?? '';
    const word = ignoresCase ? match[0].toLowerCase() : match[0];
    const colour = colours[kind === 'word' && keywords.has(word) ? 'keyword' : kind];
    spans.push({ text: match[0], ...(colour === undefined ? {} : { colour }) });
    at = match.index + match[0].length;
  }
  if (at < text.length) spans.push({ text: text.slice(at) });
  return spans;
}

function cutAtEnds(spans: readonly Span[]): Line[] {
  const lines: Span[][] = [[]];
  for (const span of spans) {
    for (const [index, text] of span.text.split('\n').entries()) {
      if (index > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ ...span, text });
    }
  }
  return lines.map((own) => (own.length === 0 ? [{ text: ' ' }] : own));
}
