// The layout of a graph, made by a worker; the one before stays until the next is there.
import { useEffect, useMemo, useRef, useState } from 'react';
import type { Layout, Pair, Spot } from './graphLayout.ts';

export interface LaidOut {
  readonly spots: ReadonlyMap<string, Spot>;
  readonly isSideways: boolean;
}

export function useGraphLayout(pairs: readonly Pair[]): LaidOut | null {
  const worker = useRef<Worker>(undefined);
  const asked = useRef(0);
  const [layout, setLayout] = useState<LaidOut | null>(null);
  const key = useMemo(() => pairs.map((pair) => pair.join(' ')).join('\n'), [pairs]);
  useEffect(() => {
    worker.current = new Worker(new URL('./graphLayout.worker.ts', import.meta.url), { type: 'module' });
    worker.current.onmessage = ({ data }: MessageEvent<{ id: number; layout: Layout }>) => {
      if (data.id !== asked.current) return;
      const { places, isSideways } = data.layout;
      setLayout({ spots: new Map(places.map(([id, x, y]) => [id, { x, y }])), isSideways });
    };
    return () => worker.current?.terminate();
  }, []);
  useEffect(() => {
    asked.current += 1;
    const wanted = key === '' ? [] : key.split('\n').map((line) => line.split(' '));
    worker.current?.postMessage({ id: asked.current, pairs: wanted });
  }, [key]);
  return layout;
}
