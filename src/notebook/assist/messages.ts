// The words in which a model is asked for help, and what is read out of its answer.
import { type CellLanguage, languageFacts, usualLanguage } from '../../cellLanguages.ts';
import type { AssistTask } from '../../protocol/index.ts';

export interface Told {
  readonly task: AssistTask;
  readonly language: CellLanguage;
  readonly source: string;
  readonly instruction: string;
  /** The failure of the cell, if it has one. */
  readonly failure: string | null;
  readonly names: string;
  readonly values: string;
}

export interface Said {
  readonly role: 'system' | 'user';
  readonly content: string;
}

const rules = [
  'You help a person with one cell of a notebook.',
  'Cells form a graph by the names that they define and read: a cell sees the names of other cells, whatever their order, and runs in a process of its own.',
  'The value of the last expression of a cell is shown; nothing has to be printed for that.',
  'Lines that begin with `# @` are annotations: keep them unless you are asked to change them.',
].join(' ');

/** Stands where the person types. */
const cursorMark = '<|cursor|>';

export const withCursor = (source: string, offset: number): string =>
  `${source.slice(0, offset)}${cursorMark}${source.slice(offset)}`;

const forms: Readonly<Record<AssistTask, string>> = {
  fix: 'Answer with the whole corrected source of the cell in one fenced code block, then say in at most three sentences what was wrong.',
  edit: 'Answer with the whole new source of the cell in one fenced code block, then say in at most three sentences what you changed.',
  write:
    'Answer with the source of one new cell in one fenced code block, then say in at most three sentences what it does. Use the names that other cells define.',
  explain: 'Explain in plain words and Markdown, without repeating the code.',
  complete: `The person is typing where the cell holds ${cursorMark}. Answer with one fenced code block and nothing else: the text that should stand in the place of the mark, at most ten lines, without anything that stands before or after it already. Leave the block empty if nothing is missing there.`,
};

const wishes: Readonly<Record<AssistTask, string>> = {
  fix: 'Correct this cell.',
  explain: 'Explain this cell.',
  edit: 'Change this cell.',
  write: 'Write a new cell.',
  complete: `Go on at ${cursorMark}.`,
};

export function messagesFor({ task, language, source, instruction, failure, names, values }: Told): Said[] {
  const { label, grammar } = languageFacts[language];
  const kind =
    task === 'write' ? `The new cell is written in ${languageFacts[usualLanguage].label}.` : `A ${label} cell:`;
  const parts = [
    instruction.trim() === '' ? wishes[task] : `${wishes[task]} ${instruction.trim()}`,
    task === 'write' ? kind : `${kind}\n${fenced(source, grammar ?? '')}`,
    ...(failure === null ? [] : [`It failed:\n${fenced(failure, '')}`]),
    names,
    ...(values === '' ? [] : [values]),
  ];
  return [
    { role: 'system', content: `${rules} ${forms[task]}` },
    { role: 'user', content: parts.join('\n\n') },
  ];
}

/** A fence that is longer than any in the text. */
function fenced(text: string, grammar: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`{3,}/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${grammar}\n${text.replace(/(?<!\n)\n+$/, '')}\n${fence}`;
}

export interface Proposal {
  /** Null where the answer holds no code. */
  readonly source: string | null;
  /** What is said beside it. */
  readonly words: string;
}

/** What an answer puts at the cursor; models like to repeat the line that it goes on from. Null where it says nothing new. */
export function continuationIn(text: string, before: string): string | null {
  const proposed = proposalIn(text).source?.replace(cursorMark, '').trimEnd() ?? '';
  const line = before.slice(before.lastIndexOf('\n') + 1).trimStart();
  const repeats = line !== '' && proposed.trimStart().startsWith(line);
  return (repeats ? proposed.trimStart().slice(line.length) : proposed) || null;
}

const block = /^[ \t]*(`{3,}|~{3,}(?!~))[^\n`]*\n([\s\S]*?)^[ \t]*\1[ \t]*$/m;

/** The first code block of an answer; one whose end is missing is no whole proposal. */
export function proposalIn(text: string): Proposal {
  const found = block.exec(text);
  if (!found) return { source: null, words: text.trim() };
  const [whole, , source = ''] = found;
  const words = `${text.slice(0, found.index)}${text.slice(found.index + whole.length)}`;
  return { source: source.replace(/\n$/, ''), words: words.replace(/\n{3,}/g, '\n\n').trim() };
}
