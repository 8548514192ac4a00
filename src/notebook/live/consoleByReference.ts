// Frames that go to every socket of a notebook carry the end of a long console and say how long the whole is. Whoever was there
// when the cell ran has it; whoever was not asks for the state, or reads the cell over REST.
import type { CellRecord } from '../../protocol/index.ts';

const toldCharacters = 4096;

export function withConsoleByReference(record: CellRecord): CellRecord {
  const { console_stdout: stdout, console_stderr: stderr } = record;
  if (stdout.length <= toldCharacters && stderr.length <= toldCharacters) return record;
  return {
    ...record,
    console_stdout: endOf(stdout),
    console_stderr: endOf(stderr),
    ...(stdout.length > toldCharacters ? { console_stdout_length: stdout.length } : {}),
    ...(stderr.length > toldCharacters ? { console_stderr_length: stderr.length } : {}),
  };
}

function endOf(text: string): string {
  const end = text.slice(-toldCharacters);
  // Half of a character is none.
  return end.length < text.length && /^[\uDC00-\uDFFF]/.test(end) ? end.slice(1) : end;
}
