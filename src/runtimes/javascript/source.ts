// What a JavaScript cell says by itself: the names that it makes and reads, and the module that it becomes. A cell is a module:
// it may import and await. Its annotations are comments that begin with `#`, as in every other language.
import {
  type Comment,
  type Expression,
  type ModuleDeclaration,
  type Options,
  type Program,
  parse,
  type Statement,
} from 'acorn';
import { analyze } from 'eslint-scope';

export interface JavaScriptSource {
  /** What the cell declares for others, not what it imports: every cell imports for itself. */
  readonly defines: readonly string[];
  readonly references: readonly string[];
  /** Names that every JavaScript has, which a cell above may define all the same. */
  readonly builtinReferences: readonly string[];
  /** The same text as a module that gives out what it declares, line by line where it was; null when it cannot be read. */
  readonly module: string | null;
  /** What of the text does something: comments change no result. */
  readonly code: string;
  readonly error: SourceError | null;
}

export interface SourceError {
  readonly message: string;
  readonly line: number;
  readonly column: number;
  readonly text: string;
}

/** Where the value of the last line is put. */
export const shownKey = 'svc.shown';

const options: Options = { ranges: true, ecmaVersion: 'latest', sourceType: 'module', allowAwaitOutsideFunction: true };
const builtins = new Set(Object.getOwnPropertyNames(globalThis));

export function readJavaScript(source: string): JavaScriptSource {
  const text = withoutAnnotations(source);
  const comments: Comment[] = [];
  let program: Program;
  try {
    program = parse(text, { ...options, onComment: comments });
  } catch (problem) {
    return { ...nothing, code: source.trim(), error: errorOf(problem, text) };
  }
  const scope = analyze(Object(program), { ecmaVersion: 2022, sourceType: 'module' });
  const [inner] = scope.globalScope?.childScopes ?? [];
  const imported = new Set(
    program.body.flatMap((statement) => (statement.type === 'ImportDeclaration' ? importedBy(statement) : [])),
  );
  const defines = (inner?.variables ?? []).map(({ name }) => name).filter((name) => !imported.has(name));
  const free = [...new Set((scope.globalScope?.through ?? []).map(({ identifier }) => identifier.name))];
  return {
    defines,
    references: free.filter((name) => !builtins.has(name)),
    builtinReferences: free.filter((name) => builtins.has(name)),
    module: moduleOf(text, program, defines),
    code: withoutComments(text, comments),
    error: null,
  };
}

const nothing = { defines: [], references: [], builtinReferences: [], module: null } as const;

function withoutComments(text: string, comments: readonly Comment[]): string {
  const kept: string[] = [];
  let [done, startsLine] = [0, true];
  for (const { start, end } of comments) {
    const before = text.slice(done, start).replace(/(?<![ \t])[ \t]+$/, '');
    if (before !== '') startsLine = before.endsWith('\n');
    kept.push(before);
    // A line that held nothing else goes with it.
    const [newline = ''] = startsLine ? (/^\r?\n/.exec(text.slice(end, end + 2)) ?? []) : [];
    done = end + newline.length;
  }
  return [...kept, text.slice(done)].join('').trim();
}

/** Lines of annotations stay as empty ones, so that all others keep their number. */
const withoutAnnotations = (source: string): string =>
  source.replace(/^(?:[ \t]*(?:#.*)?(?:\r\n|\n|\r|$))+/, (block) => block.replace(/#.*/g, ''));

function importedBy(statement: ModuleDeclaration): string[] {
  return statement.type === 'ImportDeclaration' ? statement.specifiers.map(({ local }) => local.name) : [];
}

function moduleOf(text: string, { body }: Program, defines: readonly string[]): string {
  // From the end, so that earlier places stay where they are.
  let module = text;
  const last = body.at(-1);
  const shown = last?.type === 'ExpressionStatement' ? last : undefined;
  for (const statement of body.toReversed()) {
    if (statement === shown) module = withShown(module, shown);
    else if (isExported(statement)) module = blanked(module, statement.start, statement.declaration.start);
  }
  return `${module}\n;export { ${defines.join(', ')} };\n`;
}

/** What a cell declares it gives out anyway. */
const isExported = (
  statement: Statement | ModuleDeclaration,
): statement is Extract<ModuleDeclaration, { type: 'ExportNamedDeclaration' }> & { declaration: { start: number } } =>
  statement.type === 'ExportNamedDeclaration' && statement.declaration !== null && statement.declaration !== undefined;

const blanked = (text: string, start: number, end: number): string =>
  text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, ' ') + text.slice(end);

function withShown(text: string, { start, end }: { start: number; end: number; expression: Expression }): string {
  const expression = text.slice(start, end).replace(/;$/, '');
  return `${text.slice(0, start)}globalThis[Symbol.for('${shownKey}')] = (${expression});${text.slice(end)}`;
}

function errorOf(problem: unknown, text: string): SourceError {
  if (!(problem instanceof SyntaxError)) throw problem;
  const place = 'loc' in problem ? Object(problem.loc) : {};
  const line = Number(place.line ?? 1);
  return {
    message: problem.message.replace(/ \(\d+:\d+\)$/, ''),
    line,
    column: Number(place.column ?? 0),
    text: text.split('\n')[line - 1] ?? '',
  };
}
