// What a proposal would change, line by line.
import { lineDiff } from '../lineDiff.ts';

export function Diff({ before, after }: { before: string; after: string }) {
  const lines = lineDiff(before, after);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keys too
    <section className="assist-diff" tabIndex={0} aria-label="What would change">
      <pre>
        {lines.map(({ kind, text }, place) => {
          const Line = kind === 'gone' ? 'del' : kind === 'new' ? 'ins' : 'span';
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: a line is its place
            <Line key={place}>{text === '' ? '\u200b' : text}</Line>
          );
        })}
      </pre>
    </section>
  );
}
