// Charts that come as data (Plotly, Vega-Lite), drawn by their own libraries, which are loaded for the first of them. What
// cannot be drawn is shown as the data that it is.
import { useEffect, useMemo, useRef, useState } from 'react';
import { drawingOf } from '../../../src/charts.ts';
import { messageOf } from '../api/index.ts';
import { Message, useShownTheme } from '../ui/index.ts';
import { chartScript } from './chartScript.ts';
import { JsonTree } from './JsonTree.tsx';

export function Chart({ type, json }: { type: string; json: string }) {
  const place = useRef<HTMLDivElement>(null);
  const spec = useMemo(() => parsed(json), [json]);
  const theme = useShownTheme();
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    let isGone = false;
    let erase: (() => void) | undefined;
    async function draw(): Promise<void> {
      if (!spec) throw new Error('This output is not a figure.');
      const drawing = drawingOf(type, spec);
      if ('refused' in drawing) throw new Error(drawing.refused);
      const paint = await chartScript(drawing.script);
      if (isGone || !place.current) return;
      erase = await paint(place.current, spec, theme === 'dark');
      if (isGone) erase();
    }
    draw().catch((error: unknown) => {
      if (!isGone) setProblem(messageOf(error));
    });
    return () => {
      isGone = true;
      erase?.();
    };
  }, [type, spec, theme]);

  if (problem !== null) {
    return (
      <>
        <Message>{problem} Here is its data.</Message>
        {spec && <JsonTree value={spec} />}
      </>
    );
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="chart" aria-label="Chart of the cell" tabIndex={0}>
      <div ref={place} />
    </section>
  );
}

function parsed(json: string): object | null {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
