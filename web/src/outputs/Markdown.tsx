// Markdown as text with form: cleaned of everything that could act, mathematics drawn by the browser itself.
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { memo, useLayoutEffect, useMemo, useRef } from 'react';
import { escapeMarkup } from '../../../src/escapeMarkup.ts';
import { mathRules } from '../../../src/markdownMath.ts';
import './markdown.css';

const marked = new Marked({
  gfm: true,
  extensions: mathRules(
    (formula, isBlock) => `<span class="math" data-block="${isBlock}">${escapeMarkup(formula)}</span>`,
  ),
});

/** Formulas that are not drawn within this stand as they were written. */
const drawnWithinMs = 2_000;

function htmlOf(text: string): string {
  try {
    return marked.parse(text, { async: false });
  } catch {
    return `<pre>${escapeMarkup(text)}</pre>`; // nested deeper than anybody writes
  }
}

function render(text: string): string {
  const html = htmlOf(text);
  return DOMPurify.sanitize(html, { ADD_ATTR: ['target'], FORBID_TAGS: ['style', 'form', 'input', 'button'] });
}

type Mathematics = typeof import('./math.ts');
/** Once it is here, formulas are drawn before they are seen: paper waits for nothing. */
let mathematics: Mathematics | undefined;

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const html = useMemo(() => render(text), [text]);
  const place = useRef<HTMLDivElement>(null);

  useLayoutEffect(() => {
    const formulas = [...(place.current?.querySelectorAll<HTMLElement>('.math') ?? [])];
    for (const link of place.current?.querySelectorAll('a[href]') ?? []) {
      link.setAttribute('target', '_blank');
      link.setAttribute('rel', 'noopener noreferrer');
    }
    if (formulas.length === 0 || html === '') return;
    let isGone = false;
    const draw = ({ drawMath }: Mathematics): void => {
      if (isGone) return;
      const end = performance.now() + drawnWithinMs;
      for (const formula of formulas) {
        if (performance.now() > end) return;
        drawMath(formula, formula.textContent ?? '', formula.dataset.block === 'true');
      }
    };
    if (mathematics) draw(mathematics);
    else
      void import('./math.ts').then((loaded) => {
        mathematics = loaded;
        draw(loaded);
      });
    return () => {
      isGone = true;
    };
  }, [html]);

  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned by DOMPurify in render
  return <div ref={place} className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
});
