// A long text of which only the lines in sight exist on the page.
import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';

const lineHeight = 20;
/** Longer lines go on below: browsers take seconds to lay out a line of a million characters. */
const lineCharacters = 2000;

export function LongText({ text, label }: { text: string; label: string }) {
  const lines = useMemo(() => text.split('\n').flatMap(piecesOf), [text]);
  const place = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: lines.length,
    getScrollElement: () => place.current,
    estimateSize: () => lineHeight,
    overscan: 20,
  });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section ref={place} className="long-text" aria-label={label} tabIndex={0}>
      <div style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => (
          <div key={index} className="long-line" style={{ transform: `translateY(${start}px)` }}>
            {lines[index]}
          </div>
        ))}
      </div>
    </section>
  );
}

const piecesOf = (line: string): readonly string[] =>
  line.length <= lineCharacters
    ? [line]
    : Array.from({ length: Math.ceil(line.length / lineCharacters) }, (_, index) =>
        line.slice(index * lineCharacters, (index + 1) * lineCharacters),
      );
