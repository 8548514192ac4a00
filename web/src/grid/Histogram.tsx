// How the numbers of a column spread, as small as a heading.
const width = 72;
const height = 18;

export function Histogram({ counts, from, to }: { counts: readonly number[]; from: unknown; to: unknown }) {
  if (counts.length === 0) return <svg className="grid-histogram" width={width} height={height} aria-hidden="true" />;
  const most = Math.max(...counts, 1);
  const step = width / counts.length;
  return (
    <svg
      className="grid-histogram"
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      role="img"
      aria-label={`Values from ${String(from)} to ${String(to)}`}
    >
      <title>{`${String(from)} to ${String(to)}`}</title>
      {counts.map((count, index) => {
        // What is there is seen, however little it is.
        const tall = count === 0 ? 0 : Math.max(1, (count / most) * height);
        return (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place
            key={index}
            x={index * step}
            y={height - tall}
            width={Math.max(0.5, step - 0.5)}
            height={tall}
          />
        );
      })}
    </svg>
  );
}
