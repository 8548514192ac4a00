// Sources in colours: comments, strings and words, by the few rules that languages share. By grammar.
import { escapeMarkup } from '../../escapeMarkup.ts';

const keywords =
  'and as assert async await break class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield None True False';
const scriptWords =
  'async await break case catch class const continue default delete do else export extends finally for function if import in instanceof let new of return static super switch this throw try typeof var void while yield null undefined true false';
const sqlWords =
  'select from where group by order having join left right inner on as and or not insert update delete create table with limit union';
const patterns: Readonly<Record<string, RegExp>> = {
  python: tokens('#[^\\n]*', keywords),
  javascript: tokens('(?:#|//)[^\\n]*|/\\*[\\s\\S]*?(?:\\*/|$)', scriptWords),
  r: tokens('#[^\\n]*', 'function if else for while repeat return TRUE FALSE NULL NA in next break'),
  sql: tokens('--[^\\n]*|#[^\\n]*', `${sqlWords} ${sqlWords.toUpperCase()}`),
};

function tokens(comment: string, words: string): RegExp {
  const strings =
    '"""[\\s\\S]*?(?:"""|$)|\'\'\'[\\s\\S]*?(?:\'\'\'|$)|"(?:[^"\\\\\\n]|\\\\.)*"|\'(?:[^\'\\\\\\n]|\\\\.)*\'';
  return new RegExp(
    `(?<comment>${comment})|(?<string>${strings})|(?<word>\\b(?:${words.split(' ').join('|')})\\b)`,
    'g',
  );
}

export function highlighted(text: string, language: string): string {
  const pattern = patterns[language];
  if (!pattern) return escapeMarkup(text);
  let done = 0;
  let html = '';
  for (const match of text.matchAll(pattern)) {
    const kind = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined)?.[0] ?? '';
    html += `${escapeMarkup(text.slice(done, match.index))}<span class="${kind}">${escapeMarkup(match[0])}</span>`;
    done = match.index + match[0].length;
  }
  return html + escapeMarkup(text.slice(done));
}
