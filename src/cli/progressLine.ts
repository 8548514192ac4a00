// What a command is doing, on one line of a terminal that is written over; elsewhere nothing is written.

const often = 100;
let shownAt = 0;

export function showLine(line: string): void {
  if (process.stderr.isTTY !== true || (line !== '' && performance.now() - shownAt < often)) return;
  shownAt = line === '' ? 0 : performance.now();
  process.stderr.write(`\r\u001b[K${line.slice(0, (process.stderr.columns || 80) - 1)}`);
}

export const clearLine = (): void => showLine('');
