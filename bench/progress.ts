// One line that says what is being measured, on a terminal only: in a pipe or a file nothing of it is left.

export interface Progress {
  show(text: string): void;
  clear(): void;
}

export function createProgress(out: NodeJS.WriteStream = process.stderr): Progress {
  if (!out.isTTY) return { show: () => {}, clear: () => {} };
  return {
    show(text) {
      out.write(`\r\u001b[2K· ${text}`.slice(0, (out.columns || 80) + 5));
    },
    clear() {
      out.write('\r\u001b[2K');
    },
  };
}
