// A value that describes itself in LaTeX: one formula, or text with formulas in it.
import { useEffect, useRef } from 'react';
import { formulaOf } from '../../../src/formula.ts';
import { Markdown } from './Markdown.tsx';
import { drawMath } from './math.ts';

export function Latex({ source }: { source: string }) {
  const place = useRef<HTMLDivElement>(null);
  const formula = formulaOf(source);
  useEffect(() => {
    if (place.current && formula !== null) drawMath(place.current, formula, true);
  }, [formula]);
  return formula === null ? <Markdown text={source} /> : <div ref={place} className="latex" />;
}
