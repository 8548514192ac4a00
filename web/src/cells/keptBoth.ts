// What two people wrote in one text at once, put together line by line: what either added stays, what either removed goes. Where both
// wrote in the same place, theirs stands before yours.
import { lineDiff } from '../lineDiff.ts';

export function keptBoth(base: string, theirs: string, yours: string): string {
  const [other, own] = [changesOf(base, theirs), changesOf(base, yours)];
  const lines: string[] = [];
  for (const [at, line] of [...other.lines, null].entries()) {
    const [first = [], second = []] = [other.added.get(at), own.added.get(at)];
    lines.push(...first, ...(first.join('\n') === second.join('\n') ? [] : second));
    if (line !== null && !other.removed.has(at) && !own.removed.has(at)) lines.push(line);
  }
  return lines.join('\n') + (yours.endsWith('\n') ? '\n' : '');
}

/** By the places of the lines of `base`; what is added stands before the line of its place. */
function changesOf(base: string, next: string) {
  const lines: string[] = [];
  const removed = new Set<number>();
  const added = new Map<number, string[]>();
  for (const { kind, text } of lineDiff(base, next)) {
    if (kind === 'new') added.set(lines.length, [...(added.get(lines.length) ?? []), text]);
    else {
      if (kind === 'gone') removed.add(lines.length);
      lines.push(text);
    }
  }
  return { lines, removed, added };
}
