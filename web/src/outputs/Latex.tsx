// A value that describes itself in LaTeX.
import { useEffect, useRef } from 'react';
import { drawMath } from './math.ts';

export function Latex({ source }: { source: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!place.current) return;
    const [, bare] = /^\s*(?:\$\$?|\\\[|\\\()([\s\S]*?)(?:\$\$?|\\\]|\\\))\s*$/.exec(source) ?? [];
    drawMath(place.current, bare ?? source, true);
  }, [source]);
  return <div ref={place} className="latex" />;
}
