// Remarks in words, each once: a name that nobody knows is often used in many lines.
export interface Remark {
  readonly line: number;
  readonly message: string;
  readonly code: string;
}

export interface RemarkWords {
  readonly text: string;
  readonly code: string;
}

const shownLines = 4;

export function remarkWords(remarks: readonly Remark[]): RemarkWords[] {
  const gathered = Map.groupBy(remarks, ({ code, message }) => `${code} ${message}`);
  return [...gathered.values()].flatMap((alike) => {
    const [first] = alike;
    if (!first) return [];
    const lines = [...new Set(alike.map(({ line }) => line))];
    return { text: `${inLines(lines)}: ${first.message.replaceAll('`', '')}`, code: first.code };
  });
}

function inLines(lines: readonly number[]): string {
  if (lines.length === 1) return `line ${lines[0]}`;
  const shown = lines.slice(0, shownLines);
  const rest = lines.length - shown.length;
  return rest > 0
    ? `lines ${shown.join(', ')} and ${rest} more`
    : `lines ${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`;
}
