// Cuts a stream of bytes into lines of text for the log. A line without end is handed on in pieces, so that a process
// which never writes a newline cannot fill the memory.

import { StringDecoder } from 'node:string_decoder';

export const MAX_LINE_CHARACTERS = 8 * 1024;

export interface LineSplitter {
  push(chunk: Buffer): void;
  end(): void;
}

export function createLineSplitter(onLine: (line: string) => void): LineSplitter {
  const decoder = new StringDecoder('utf8');
  let rest = '';

  function handOn(text: string): void {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) handOnInPieces(line.endsWith('\r') ? line.slice(0, -1) : line);
    while (rest.length > MAX_LINE_CHARACTERS) {
      onLine(rest.slice(0, MAX_LINE_CHARACTERS));
      rest = rest.slice(MAX_LINE_CHARACTERS);
    }
  }

  function handOnInPieces(line: string): void {
    for (let at = 0; at === 0 || at < line.length; at += MAX_LINE_CHARACTERS) {
      onLine(line.slice(at, at + MAX_LINE_CHARACTERS));
    }
  }

  return {
    push: (chunk) => handOn(decoder.write(chunk)),
    end() {
      handOn(decoder.end());
      if (rest !== '') onLine(rest);
      rest = '';
    },
  };
}
