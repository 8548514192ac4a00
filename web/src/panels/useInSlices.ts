// A set that grows a little with each picture of the page, so that none of them waits for all of it.
import { useEffect, useState } from 'react';

const sliceSize = 25;

export function useInSlices(wanted: ReadonlySet<string>): ReadonlySet<string> {
  const [drawn, setDrawn] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    const missing = [...wanted].filter((id) => !drawn.has(id));
    if (missing.length === 0 && drawn.size === wanted.size) return;
    const next = new Set([...wanted].filter((id) => drawn.has(id)).concat(missing.slice(0, sliceSize)));
    const request = requestAnimationFrame(() => setDrawn(next));
    return () => cancelAnimationFrame(request);
  }, [wanted, drawn]);
  return drawn;
}
