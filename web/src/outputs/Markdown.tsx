// Markdown as text with form: cleaned of everything that could act, mathematics drawn by the browser itself.
import DOMPurify from 'dompurify';
import { Marked, type RendererExtension, type TokenizerExtension } from 'marked';
import { memo, useEffect, useMemo, useRef } from 'react';
import { escapeMarkup } from '../../../src/escapeMarkup.ts';
import './markdown.css';

const math = (
  name: string,
  level: 'block' | 'inline',
  rule: RegExp,
  start: string,
): TokenizerExtension & RendererExtension => ({
  name,
  level,
  start: (source) => source.indexOf(start),
  tokenizer(source) {
    const found = rule.exec(source);
    return found ? { type: name, raw: found[0], text: found[1]?.trim() ?? '' } : undefined;
  },
  renderer: (token) =>
    `<span class="math" data-block="${level === 'block'}">${escapeMarkup(String(token.text))}</span>`,
});

const marked = new Marked({
  gfm: true,
  extensions: [
    math('mathBlock', 'block', /^\$\$([\s\S]+?)\$\$(?:\n|$)/, '$$'),
    math('mathInline', 'inline', /^\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)/, '$'),
  ],
});

function render(text: string): string {
  const html = marked.parse(text, { async: false });
  return DOMPurify.sanitize(html, { ADD_ATTR: ['target'], FORBID_TAGS: ['style', 'form', 'input', 'button'] });
}

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const html = useMemo(() => render(text), [text]);
  const place = useRef<HTMLDivElement>(null);

  useEffect(() => {
    const formulas = [...(place.current?.querySelectorAll<HTMLElement>('.math') ?? [])];
    for (const link of place.current?.querySelectorAll('a[href]') ?? []) {
      link.setAttribute('target', '_blank');
      link.setAttribute('rel', 'noopener noreferrer');
    }
    if (formulas.length === 0 || html === '') return;
    let isGone = false;
    void import('./math.ts').then(({ drawMath }) => {
      if (isGone) return;
      for (const formula of formulas) drawMath(formula, formula.textContent ?? '', formula.dataset.block === 'true');
    });
    return () => {
      isGone = true;
    };
  }, [html]);

  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned by DOMPurify in render
  return <div ref={place} className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
});
