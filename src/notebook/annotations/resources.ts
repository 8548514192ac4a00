// What a cell asks of a cluster: `@resources cpus=4 memory=8GB gpus=1 time=2h`, and how often it may be run anew when the
// cluster lost it. Only cells that run there are given any of it.
import { keyAndValue, parseInteger, parseNumber, tokensOf } from './words.ts';

export interface ResourceAnnotation {
  readonly cpus: number | null;
  readonly memoryBytes: number | null;
  readonly gpus: number | null;
  readonly seconds: number | null;
  /** What only this cluster knows, by its name there. */
  readonly custom: Readonly<Record<string, number>>;
}

const sizeUnits: Readonly<Record<string, number>> = {
  '': 1,
  b: 1,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
};

/** `8GB`, `512MiB`; null for anything else. */
export function parseSize(text: string): number | null {
  const [, amount = '', unit = ''] = /^([\d.]+)([a-z]*)$/i.exec(text) ?? [];
  const [number, factor] = [parseNumber(amount), sizeUnits[unit.toLowerCase()]];
  return number !== null && number > 0 && factor !== undefined ? Math.round(number * factor) : null;
}

const timeUnits: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** `90s`, `30m`, `2h`, `1d`, as seconds; null for anything else. */
export function parseDuration(text: string): number | null {
  const [, amount = '', unit = ''] = /^([\d.]+)([smhd])$/i.exec(text) ?? [];
  const [number, factor] = [parseNumber(amount), timeUnits[unit.toLowerCase()]];
  return number !== null && number > 0 && factor !== undefined ? Math.ceil(number * factor) : null;
}

const atLeast = (least: number, text: string): number | null => {
  const number = parseInteger(text);
  return number !== null && number >= least ? number : null;
};

/** Null where any part of it cannot be read: half of what was asked for would be worse than nothing. */
export function parseResources(value: string): ResourceAnnotation | null {
  let read: ResourceAnnotation = { cpus: null, memoryBytes: null, gpus: null, seconds: null, custom: {} };
  const tokens = tokensOf(value);
  for (const token of tokens) {
    const [key, text] = keyAndValue(token) ?? ['', ''];
    const part = partOf(key, text);
    if (part === null) return null;
    read = { ...read, ...part, custom: { ...read.custom, ...part.custom } };
  }
  return tokens.length === 0 ? null : read;
}

function partOf(key: string, text: string): Partial<ResourceAnnotation> | null {
  const given = <Part extends object>(number: number | null, part: (value: number) => Part): Part | null =>
    number === null ? null : part(number);
  switch (key) {
    case '':
      return null;
    case 'cpus':
      return given(atLeast(1, text), (cpus) => ({ cpus }));
    case 'memory':
      return given(parseSize(text), (memoryBytes) => ({ memoryBytes }));
    case 'gpus':
      return given(atLeast(0, text), (gpus) => ({ gpus }));
    case 'time':
      return given(parseDuration(text), (seconds) => ({ seconds }));
    default:
      return given(parseNumber(text), (amount) => ({ custom: { [key]: amount } }));
  }
}

/** How often a cell may be run anew. */
export const parseRetry = (value: string): number | null => atLeast(1, value);
