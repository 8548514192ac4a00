// When two texts say the same: times, addresses and places aside, and numbers to the digits that are shown.
import { stripVTControlCharacters } from 'node:util';

export const sameText = (one: string, other: string): boolean => {
  const [left, right] = [settled(one), settled(other)];
  return left === right || sameButForDigits(left, right);
};

/** Python's notation and JSON's. */
export function sameValue(there: string, here: string): boolean {
  return sameText(there, here) || sameText(quoted(there), quoted(here));
}

const quoted = (text: string): string =>
  text
    .replace(/\\n/g, '\n')
    .replace(/np\.\w+\(([^()]*)\)/g, '$1')
    .replaceAll(/["']/g, '')
    .replace(/\bTrue\b/g, 'true')
    .replace(/\bFalse\b/g, 'false')
    .replace(/\bNone\b/g, 'null')
    .replace(/\s+/g, '');

/** Without what differs between two runs of the same, and colours. */
function settled(text: string): string {
  return stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.replace(/\r+$/, '').split('\r').at(-1) ?? '')
    .join('\n')
    .replace(/( object)? at 0x[0-9a-f]{6,}/g, ' at 0x…') // IPython leaves the word out
    .replace(/0x[0-9a-f]{6,}/g, '0x…')
    .replace(/<cell [\w-]+>|\S*ipykernel_\d+\/\d+\.py|<ipython-input[^>]*>/g, '<cell>')
    .replace(/<cell>:\d+/g, '<cell>') // an import may have put a line above
    .replace(/(?:\/[\w.+-]+)+\/(?=[\w.+-]+\b)/g, '…/')
    .replace(/\d+(\.\d+)?\s*(ns|[µμ]s|ms|s|min)\b(\s*±.*per loop.*)?/g, '<time>')
    .replace(/\d\d:\d\d<\d\d:\d\d,.*?\]/g, '<rate>]')
    .replace(/[▏▎▍▌▋▊▉█#]+/g, '█')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}

const number = /[-+]?(?:\d+\.\d*|\.\d+|\d+)(?:e[-+]?\d+)?/gi;

/** The same but for numbers, and these close to each other. */
function sameButForDigits(one: string, other: string): boolean {
  const shape = (text: string): string => text.replace(number, '#').replace(/\s+/g, ' ');
  if (shape(one) !== shape(other)) return false;
  const [left, right] = [one.match(number) ?? [], other.match(number) ?? []];
  return left.length === right.length && left.every((text, at) => sameNumber(text, Number(right[at])));
}

/** To the digits that are shown. */
export function sameNumber(shown: string, value: number): boolean {
  const text = shown.replaceAll(',', '').trim();
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(text)) return false;
  const difference = Math.abs(Number(text) - value);
  const [, digits = '', exponent = '0'] =
    /\.?(\d*)(?:e([-+]?\d+))?$/i.exec(text.replace(/^[^.e]*(?=[.e]|$)/i, '')) ?? [];
  const step = 10 ** (Number(exponent) - digits.length);
  const isWhole = !/[.e]/i.test(text);
  return difference <= (isWhole ? 0 : 0.51 * step) || difference <= 1e-6 * Math.abs(value);
}

export interface HtmlTable {
  /** The cells of each row that hold data. */
  readonly body: readonly (readonly string[])[];
}

export function htmlTables(html: string): HtmlTable[] {
  return [...html.matchAll(/<table.*?<\/table>/gs)].map(([table]) => ({
    body: [...table.replace(/<thead.*?<\/thead>/gs, '').matchAll(/<tr.*?<\/tr>/gs)].map(([row]) =>
      [...row.matchAll(/<td[^>]*>(.*?)<\/td>/gs)].map(([, cell = '']) => plainHtml(cell)),
    ),
  }));
}

/** What is read of it. */
export const plainHtml = (html: string): string =>
  html
    .replace(/<(style|script)\b.*?<\/\1>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/&nbsp;/g, ' ')
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&#39;|&#x27;/g, "'")
    .replace(/&amp;/g, '&')
    .replace(/\s+/g, ' ')
    .trim();
