// How commands write tables, moments, sizes and JSON.

export const momentText = (seconds: number | null): string =>
  seconds === null ? 'never' : new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function bytesText(bytes: number | null): string {
  if (bytes === null) return '-';
  const power = Math.min(units.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
}

/** Columns as wide as their widest cell; `empty` stands for a table without rows. */
export function table(header: readonly string[], rows: readonly (readonly string[])[], empty: string): string {
  if (rows.length === 0) return `${empty}\n`;
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)));
  return [header, ...rows]
    .map((row) => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
