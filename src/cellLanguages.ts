// The languages of cells, one entry each: what everybody needs to know of a language who keeps, shows or sends cells. How a
// cell is read and run is said by its module in `notebook/languages`.

export interface LanguageFacts {
  /** What its cells are called where one can be added, and a line about them. */
  readonly label: string;
  readonly about: string;
  /** One of its cells, in a sentence. */
  readonly noun: string;
  /** What stands in a cell that is still empty. */
  readonly hint: string;
  readonly kind: LanguageKind;
  /** How the name of a source file ends. */
  readonly ending: string;
  /** What a cell begins with that was added without a text. */
  readonly start: string;
  /** The grammar that it is coloured by: of another language where it is written as that one, null for plain text. */
  readonly grammar: string | null;
  /** The line that says to Jupyter what the cell is, where Jupyter knows one. */
  readonly magic: string | null;
  readonly can: readonly Ability[];
}

/**
 * `text` is read by people and never runs. `code` runs in a process of this machine or another, which is watched. A `request`
 * is sent to somebody else and has one result. `controls` are turned by people and have their values at once.
 */
export type LanguageKind = 'text' | 'code' | 'request' | 'controls';

/** What only some languages can do: run on workers, in a loop or once per variant, be tested, answer while somebody types … */
export type Ability =
  | 'run elsewhere'
  | 'loop'
  | 'be tested'
  | 'give hints'
  | 'be formatted'
  | 'be inspected'
  | 'be debugged'
  | 'hear widgets';

const facts = {
  python: {
    label: 'Python',
    about: 'Code; its results are kept',
    noun: 'a Python cell',
    hint: 'Write Python; Shift+Enter runs it',
    kind: 'code',
    ending: '.py',
    start: '',
    grammar: 'python',
    magic: null,
    can: [
      'run elsewhere',
      'loop',
      'be tested',
      'give hints',
      'be formatted',
      'be inspected',
      'be debugged',
      'hear widgets',
    ],
  },
  markdown: {
    label: 'Note',
    about: 'Text with headings, lists and formulas',
    noun: 'a note',
    hint: 'Write a note in Markdown',
    kind: 'text',
    ending: '.md',
    start: '',
    grammar: 'markdown',
    magic: null,
    can: [],
  },
  sql: {
    label: 'SQL',
    about: 'A query on a connection',
    noun: 'a SQL cell',
    hint: 'Write a query; Shift+Enter runs it',
    kind: 'request',
    ending: '.py',
    start: '',
    grammar: 'sql',
    magic: '%%sql',
    can: [],
  },
  widget: {
    label: 'Widget',
    about: 'Sliders and choices that other cells read',
    noun: 'a widget',
    hint: 'alpha = slider(0, 10)',
    kind: 'controls',
    ending: '.widget',
    start: 'alpha = slider(0, 1, step=0.01, default=0.5)\n',
    grammar: 'python',
    magic: null,
    can: [],
  },
  prompt: {
    label: 'Prompt',
    about: 'A question to a language model',
    noun: 'a prompt',
    hint: 'Write what a model is to answer; {{ name }} puts a variable in',
    kind: 'request',
    ending: '.py',
    start: '',
    grammar: null,
    magic: null,
    can: [],
  },
  r: {
    label: 'R',
    about: 'Code in R',
    noun: 'an R cell',
    hint: 'Write R; Shift+Enter runs it',
    kind: 'code',
    ending: '.r',
    start: '',
    grammar: 'r',
    magic: '%%R',
    can: ['run elsewhere'],
  },
  javascript: {
    label: 'JavaScript',
    about: 'Code in JavaScript, run by Node',
    noun: 'a JavaScript cell',
    hint: 'Write JavaScript; Shift+Enter runs it',
    kind: 'code',
    ending: '.js',
    start: '',
    grammar: 'javascript',
    magic: null,
    can: [],
  },
} as const satisfies Readonly<Record<string, LanguageFacts>>;

export type CellLanguage = keyof typeof facts;

export const languageFacts: Readonly<Record<CellLanguage, LanguageFacts>> = facts;

/** As the page offers them. */
export const cellLanguages: readonly [CellLanguage, ...CellLanguage[]] = [
  'python',
  'markdown',
  'sql',
  'widget',
  'prompt',
  'r',
  'javascript',
];

/** What a cell is written in where nobody says. */
export const usualLanguage = 'python' satisfies CellLanguage;

export const kindOf = (language: CellLanguage): LanguageKind => languageFacts[language].kind;

export const can = (language: CellLanguage, ability: Ability): boolean => languageFacts[language].can.includes(ability);
