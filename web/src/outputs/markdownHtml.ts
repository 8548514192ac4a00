// Markdown as HTML that nobody has cleaned yet; formulas are places for them.
import { Marked } from 'marked';
import { escapeMarkup } from '../../../src/escapeMarkup.ts';
import { mathRules } from '../../../src/markdownMath.ts';
import { table } from '../../../src/markdownTables.ts';

const marked = new Marked({
  gfm: true,
  extensions: mathRules(
    (formula, isBlock) => `<span class="math" data-block="${isBlock}">${escapeMarkup(formula)}</span>`,
  ),
  tokenizer: { table },
});

export const asWritten = (text: string): string => `<pre>${escapeMarkup(text)}</pre>`;

export function htmlOf(text: string): string {
  try {
    return marked.parse(text, { async: false });
  } catch {
    return asWritten(text); // nested deeper than anybody writes
  }
}
