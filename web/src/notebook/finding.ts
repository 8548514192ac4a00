// Places of a text in the source of a cell.

export interface Hit {
  readonly at: number;
  readonly line: number;
  readonly text: string;
}

const pattern = (what: string, isExact: boolean): RegExp =>
  new RegExp(what.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), isExact ? 'g' : 'gi');

export function find(source: string, what: string, isExact: boolean): Hit[] {
  const hits: Hit[] = [];
  let [line, start] = [1, 0];
  for (const { index } of source.matchAll(pattern(what, isExact))) {
    for (let next = source.indexOf('\n', start); next !== -1 && next < index; next = source.indexOf('\n', start)) {
      line += 1;
      start = next + 1;
    }
    const end = source.indexOf('\n', index);
    hits.push({
      at: index,
      line,
      text: source
        .slice(start, end === -1 ? undefined : end)
        .trim()
        .slice(0, 160),
    });
  }
  return hits;
}

export const replaceAll = (source: string, what: string, by: string, isExact: boolean): string =>
  source.replace(pattern(what, isExact), () => by);
