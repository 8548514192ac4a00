// Formulas in Markdown, `$…$` and `$$…$$`, for whoever renders it.
import type { RendererExtension, TokenizerExtension } from 'marked';

type Rule = TokenizerExtension & RendererExtension;

/** `render` gives the HTML of a formula. */
export function mathRules(render: (formula: string, isBlock: boolean) => string): Rule[] {
  const rule = (name: string, level: 'block' | 'inline', pattern: RegExp, start: string): Rule => ({
    name,
    level,
    start: (source) => source.indexOf(start),
    tokenizer(source) {
      const found = pattern.exec(source);
      return found ? { type: name, raw: found[0], text: found[1]?.trim() ?? '' } : undefined;
    },
    renderer: (token) => render(String(token.text), level === 'block'),
  });
  return [
    rule('mathBlock', 'block', /^\$\$([\s\S]+?)\$\$(?:\n|$)/, '$$'),
    rule('mathInline', 'inline', /^\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)/, '$'),
  ];
}
