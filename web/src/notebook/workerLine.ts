// The line of a cell that says where it runs: `# @worker gpu`. As everywhere, the last one holds.

const workerLine = /^\s*#\s*@worker\b/i;
const annotation = /^\s*#\s*@\w/;

/** The worker that the text asks for; null for none. */
export const workerIn = (source: string): string | null =>
  beginning(source)
    .findLast((line) => workerLine.test(line))
    ?.replace(/^\s*#\s*@worker\s*/i, '')
    .trim() || null;

/** The same text that asks for this worker, or for none; below what else it says of itself. */
export function withWorker(source: string, worker: string | null): string {
  const head = beginning(source);
  const rest = source.split('\n').slice(head.length);
  const others = head.filter((line) => !workerLine.test(line));
  if (worker === null) return [...others, ...rest].join('\n');
  const written = `# @worker ${worker}${source.includes('\r\n') ? '\r' : ''}`;
  const first = head.findIndex((line) => workerLine.test(line));
  const place = first >= 0 ? first : others.findLastIndex((line) => annotation.test(line)) + 1;
  return [...others.slice(0, place), written, ...others.slice(place), ...rest].join('\n');
}

/** Comments and blank lines before the code. */
function beginning(source: string): string[] {
  const lines = source.split('\n');
  const end = lines.findIndex((line) => line.trim() !== '' && !line.trim().startsWith('#'));
  return end < 0 ? lines : lines.slice(0, end);
}
