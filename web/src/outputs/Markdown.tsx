// Markdown as text with form: cleaned of everything that could act, mathematics drawn by the browser itself.
import DOMPurify from 'dompurify';
import { memo, useLayoutEffect, useMemo, useRef } from 'react';
import { useMarkdownHtml } from './useMarkdownHtml.ts';
import './markdown.css';

/** Formulas that are not drawn within this stand as they were written. */
const drawnWithinMs = 2_000;

const cleaned = (html: string): string =>
  DOMPurify.sanitize(html, { ADD_ATTR: ['target'], FORBID_TAGS: ['style', 'form', 'input', 'button'] });

type Mathematics = typeof import('./math.ts');
/** Once it is here, formulas are drawn before they are seen: paper waits for nothing. */
let mathematics: Mathematics | undefined;

export const Markdown = memo(function Markdown({ text }: { text: string }) {
  const written = useMarkdownHtml(text);
  const html = useMemo(() => cleaned(written), [written]);
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

  // biome-ignore lint/security/noDangerouslySetInnerHtml: cleaned by DOMPurify
  return <div ref={place} className="markdown" dangerouslySetInnerHTML={{ __html: html }} />;
});
