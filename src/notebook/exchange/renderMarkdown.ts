// Markdown and formulas as HTML that cannot act. There is no browser here to clean it with: of tags that somebody wrote, only
// plain ones without attributes are kept.
import type { Marked } from 'marked';
import { escapeMarkup } from '../../escapeMarkup.ts';
import { formulaOf } from '../../formula.ts';
import { mathRules } from '../../markdownMath.ts';
import { table } from '../../markdownTables.ts';

export interface Renderer {
  markdown(text: string): string;
  /** What a LaTeX output is: a formula, or text with formulas in it. */
  latex(source: string): string;
}

const plainTags = new Set('b i em strong u s del ins sub sup small mark kbd code br hr'.split(' '));

export async function openRenderer(): Promise<Renderer> {
  const [{ Marked: Engine }, { default: katex }] = await Promise.all([import('marked'), import('katex')]);
  const formula = (source: string, displayMode: boolean): string =>
    katex.renderToString(source, { output: 'mathml', displayMode, throwOnError: false, trust: false, strict: false });
  const marked: Marked = new Engine({
    gfm: true,
    extensions: mathRules(formula),
    tokenizer: { table },
    renderer: {
      html: ({ text }) => withoutTags(text),
      link({ href, tokens }) {
        const words = this.parser.parseInline(tokens);
        return /^(https?:|mailto:|#)/i.test(href)
          ? `<a href="${escapeMarkup(href)}" rel="noopener noreferrer">${words}</a>`
          : words;
      },
      // A page that is sent on asks nobody for anything.
      image: ({ href, text }) =>
        /^data:image\//i.test(href)
          ? `<img src="${escapeMarkup(href)}" alt="${escapeMarkup(text)}">`
          : `<span class="note">[picture: ${escapeMarkup(text || href)}]</span>`,
    },
  });
  const markdown = (text: string): string => marked.parse(text, { async: false });
  return {
    markdown,
    latex(source) {
      const bare = formulaOf(source);
      return bare === null ? markdown(source) : formula(bare, true);
    },
  };
}

function withoutTags(html: string): string {
  const text = html.replace(/<!--[\s\S]*?(?:-->|$)|<(script|style)\b[\s\S]*?(?:<\/\1\s*>|$)/gi, '');
  let kept = '';
  let done = 0;
  for (const found of text.matchAll(/<(\/?)([a-z][a-z0-9]*)\b[^<>]*>/gi)) {
    const [tag, end = '', name = ''] = found;
    kept += escaped(text.slice(done, found.index));
    if (plainTags.has(name.toLowerCase())) kept += `<${end}${name.toLowerCase()}>`;
    done = found.index + tag.length;
  }
  return kept + escaped(text.slice(done));
}

/** Entities stay what they are. */
const escaped = (text: string): string => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;');
