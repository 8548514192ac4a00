// Charts that come as data (Plotly, Vega-Lite), drawn by their own libraries, which are loaded for the first of them. What
// cannot be drawn is shown as the data that it is.
import { useEffect, useMemo, useRef, useState } from 'react';
import { messageOf } from '../api/index.ts';
import { Message } from '../ui/index.ts';
import type { Draw } from './draw.ts';
import { JsonTree } from './JsonTree.tsx';

const painters: readonly [pattern: RegExp, load: () => Promise<Draw>][] = [
  [/plotly/, async () => (await import('./plotly.ts')).drawPlotly],
  [/vega/, async () => (await import('./vega.ts')).drawVega],
];

export function Chart({ type, json }: { type: string; json: string | null }) {
  const place = useRef<HTMLElement>(null);
  const spec = useMemo(() => parsed(json), [json]);
  const [problem, setProblem] = useState<string | null>(null);

  useEffect(() => {
    let isGone = false;
    let erase: (() => void) | undefined;
    async function draw(): Promise<void> {
      const load = painters.find(([pattern]) => pattern.test(type))?.[1];
      if (!load) throw new Error(`This app does not draw ${type}.`);
      if (!spec) throw new Error('The figure is too large to be sent along.');
      const paint = await load();
      if (isGone || !place.current) return;
      erase = await paint(place.current, spec, document.documentElement.dataset.theme === 'dark');
      if (isGone) erase();
    }
    draw().catch((error: unknown) => {
      if (!isGone) setProblem(messageOf(error));
    });
    return () => {
      isGone = true;
      erase?.();
    };
  }, [type, spec]);

  if (problem !== null) {
    return (
      <>
        <Message>{problem} Here is its data.</Message>
        {spec && <JsonTree value={spec} />}
      </>
    );
  }
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
  return <section ref={place} className="chart" aria-label="Chart of the cell" tabIndex={0} />;
}

function parsed(json: string | null): object | null {
  try {
    const value: unknown = JSON.parse(json ?? 'null');
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
}
