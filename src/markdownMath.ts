// Formulas in Markdown, `$…$` and `$$…$$`, for whoever renders it.
import type { RendererExtension, TokenizerExtension } from 'marked';

type Rule = TokenizerExtension & RendererExtension;

/** `render` gives the HTML of a formula. */
export function mathRules(render: (formula: string, isBlock: boolean) => string): Rule[] {
  const rule = (
    name: string,
    level: 'block' | 'inline',
    find: (source: string) => RegExpExecArray | null,
    start: (source: string) => number,
  ): Rule => ({
    name,
    level,
    start,
    tokenizer(source) {
      const found = find(source);
      return found ? { type: name, raw: found[0], text: found[1]?.trim() ?? '' } : undefined;
    },
    renderer: (token) => render(String(token.text), level === 'block'),
  });
  return [
    rule('mathBlock', 'block', (source) => (endsSomewhere(source) ? block.exec(source) : null), startOfBlock),
    rule(
      'mathInline',
      'inline',
      (source) => inline.exec(source),
      (source) => source.indexOf('$'),
    ),
  ];
}

const block = /^\$\$([\s\S]+?)\$\$(?:\n|$)/;
const inline = /^\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)/;

/** Each place that is told begins a block for the renderer, which looks over all that follows then. */
function startOfBlock(source: string): number {
  const at = source.indexOf('$$');
  return at >= 0 && endsSomewhere(source.slice(at)) ? at : -1;
}

const endsSomewhere = (source: string): boolean => source.includes('$$\n', 3) || source.endsWith('$$');
