// What is offered while somebody types: the names of the notebook at once, and in Python and SQL what the server knows of
// values, packages and databases as soon as it answers.

import {
  acceptCompletion,
  autocompletion,
  type CompletionContext,
  type CompletionResult,
  currentCompletions,
  moveCompletionSelection,
  selectedCompletion,
  startCompletion,
} from '@codemirror/autocomplete';
import { syntaxTree } from '@codemirror/language';
import { EditorState, type Extension } from '@codemirror/state';
import { EditorView, ViewPlugin } from '@codemirror/view';
import { type CellLanguage, can, kindOf } from '../../../src/cellLanguages.ts';
import { suggest, suggestAgain } from '../api/index.ts';
import type { NotebookSession } from '../notebook/session.ts';
import { definedNames } from '../state/index.ts';

export function completions(session: NotebookSession, cellId: string, language: CellLanguage): Extension {
  const asked = (context: CompletionContext) => serverNames(session, cellId, context);
  const nearby = (context: CompletionContext) => nearbyNames(session, context);
  const query = (context: CompletionContext) => queryNames(session, cellId, context);
  const isAsked = can(language, 'give hints') && !session.isReadOnly;
  const isQuery = language === 'sql' && !session.isReadOnly;
  const sources = isAsked ? [nearby, asked] : [isQuery ? query : nearby];
  return [
    isAsked || isQuery
      ? EditorView.domEventHandlers({ focus: (_event, view) => getReady(session, cellId, view.state.doc.toString()) })
      : [],
    // Nothing is chosen until somebody chooses: Enter begins a new line, whatever is offered meanwhile.
    autocompletion({ icons: false, selectOnOpen: false, override: kindOf(language) === 'text' ? [] : null }),
    reachableList,
    EditorState.languageData.of(() => sources.map((autocomplete) => ({ autocomplete }))),
  ];
}

/** A list that scrolls can be reached by the keys too. CodeMirror makes it anew whenever what is offered changes. */
const reachableList = ViewPlugin.define((view) => {
  const lists = new MutationObserver(([first]) => reach(first?.target));
  const tooltips = new MutationObserver((changes) => {
    for (const { addedNodes } of changes) for (const node of addedNodes) watch(node);
  });
  function reach(tooltip: Node | undefined): void {
    if (tooltip instanceof HTMLElement) tooltip.querySelector('ul')?.setAttribute('tabindex', '0');
  }
  function watch(node: Node): void {
    if (!(node instanceof HTMLElement) || !node.matches('.cm-tooltip-autocomplete')) return;
    reach(node);
    lists.observe(node, { childList: true });
  }
  tooltips.observe(view.dom, { childList: true });
  return {
    destroy() {
      lists.disconnect();
      tooltips.disconnect();
    },
  };
});

const ready = new WeakSet<NotebookSession>();

/** Whoever begins to write will soon ask, and the first answer of a notebook takes longest: packages are read for it. */
function getReady(session: NotebookSession, cellId: string, source: string): void {
  if (ready.has(session)) return;
  ready.add(session);
  const nowhere = { sessionId: session.sessionId, cellId, source, offset: 0 };
  suggest(nowhere, AbortSignal.timeout(60_000)).catch(() => ready.delete(session));
}

/** Whether a list is shown; what it has is offered, also while the server has not answered yet. */
export const isOffering = (state: EditorState): boolean => currentCompletions(state).length > 0;

/** Tab takes what is chosen, or the first of what is offered; after a word it asks for an offer, as in Jupyter. */
export function completeOnTab(view: EditorView): boolean {
  const { state } = view;
  if (isOffering(state)) {
    if (selectedCompletion(state) === null) moveCompletionSelection(true)(view);
    return acceptCompletion(view);
  }
  const { main } = state.selection;
  return main.empty && /[\w.]$/.test(state.sliceDoc(main.head - 1, main.head)) && startCompletion(view);
}

const kindBoost: Readonly<Record<string, number>> = { column: 6, table: 5, file: 5, value: 4, schema: 1, keyword: -2 };

/** In a query the server says what may stand where: tables, columns, files and functions. */
async function queryNames(
  session: NotebookSession,
  cellId: string,
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const isBegun = context.matchBefore(/[\w.:]+|['"][^'"\n]*|\b(?:from|join)\s+/i);
  if (!context.explicit && !isBegun) return null;
  const aborted = new AbortController();
  context.addEventListener('abort', () => aborted.abort());
  const at = { sessionId: session.sessionId, cellId, source: context.state.doc.toString(), offset: context.pos };
  const answer = await suggest(at, aborted.signal).catch(() => null);
  if (!answer || answer.items.length === 0) return null;
  const isFile = answer.items.some(({ kind }) => kind === 'file');
  return {
    from: answer.from,
    options: answer.items.map(({ label, kind }) => ({ label, detail: kind, boost: kindBoost[kind] ?? 0 })),
    ...(answer.truncated ? {} : { validFor: isFile ? /^[^'/\n]*$/ : /^\w*$/ }),
  };
}

/** Names that other cells define. */
function nearbyNames(session: NotebookSession, context: CompletionContext): CompletionResult | null {
  const word = context.matchBefore(/(?<![\w.])[A-Za-z_]\w*/);
  if (!word || isQuoted(context) || (word.from === word.to && !context.explicit)) return null;
  return {
    from: word.from,
    options: [...definedNames(session.store.get())].map((label) => ({ label, type: 'variable', boost: 2 })),
    validFor: /^\w*$/,
  };
}

async function serverNames(
  session: NotebookSession,
  cellId: string,
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const key = context.matchBefore(/[\w.]+\[\s*['"][^'"\n]*/);
  const path = isQuoted(context) ? context.matchBefore(/['"][^'"\n]*/) : null;
  const word = context.matchBefore(/\.\w*|[A-Za-z_]\w*/);
  if (!context.explicit && !key && !path && (!word || isQuoted(context))) return null;
  const aborted = new AbortController();
  context.addEventListener('abort', () => aborted.abort(), { onDocChange: !key && !path && !word });
  const at = { sessionId: session.sessionId, cellId, source: context.state.doc.toString(), offset: context.pos };
  const answer = await suggestAgain(at, aborted.signal).catch(() => null);
  if (!answer || answer.items.length === 0) return null;
  const known = definedNames(session.store.get());
  const isKeys = answer.items.every(({ kind }) => kind === 'key');
  const isMember = context.state.sliceDoc(answer.from - 1, answer.from) === '.';
  return {
    from: answer.from,
    options: answer.items
      .filter(({ label, kind }) => (path && !key ? kind === 'path' || kind === 'key' : isMember || !known.has(label)))
      .map(({ label, kind }) => ({ label, detail: kind, boost: boostOf(label, kind) })),
    // Where not all were told, whoever types on asks again.
    ...(answer.truncated ? {} : { validFor: key || isKeys ? /^[^'"\n]*$/ : path ? /^[^'"/\n]*$/ : /^\w*$/ }),
  };
}

/** What a call takes by name is what it was opened for. */
const boostOf = (label: string, kind: string): number => (kind === 'param' ? 4 : label.startsWith('_') ? -1 : 0);

/** In a text or a remark there are no names. */
const isQuoted = ({ state, pos }: CompletionContext): boolean =>
  /String|Comment/.test(syntaxTree(state).resolveInner(pos, -1).name);
