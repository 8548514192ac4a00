// The lineage of a version as a picture; the tree below it says the same in words.
import { useMemo } from 'react';
import type { Lineage } from '../api/registry.ts';
import { boxHeight, boxWidth, pictureOf } from './lineageLayout.ts';

/** `names`: what versions are called, by their address. */
export function LineagePicture({ of, names }: { of: Lineage; names: ReadonlyMap<string, string> }) {
  const { spots, paths, width, height } = useMemo(
    () =>
      pictureOf(
        of.artifact_uri,
        of.edges.map(({ from_uri, to_uri }) => ({ from: from_uri, to: to_uri })),
      ),
    [of],
  );
  const types = useMemo(() => new Map(of.nodes.map(({ uri, type }) => [uri, type])), [of]);
  const labels = [...spots.keys()].map((uri) => names.get(uri) ?? shortOf(uri));
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with the keys too
    <div ref={toWhatWasMade} className="lineage-picture" tabIndex={0}>
      <svg
        role="img"
        aria-label={`Picture: ${labels.join(', ')}`}
        width={width + 4}
        height={height + 4}
        viewBox={`-2 -2 ${width + 4} ${height + 4}`}
      >
        {paths.map((path) => (
          <path key={path} className="lineage-line" d={path} />
        ))}
        {[...spots].map(([uri, { x, y }], at) => (
          <g key={uri} className={`lineage-step ${types.get(uri) ?? 'artifact'}`} transform={`translate(${x} ${y})`}>
            <title>{uri}</title>
            <rect width={boxWidth} height={boxHeight} rx={6} className={uri === of.artifact_uri ? 'made' : ''} />
            <text x={boxWidth / 2} y={boxHeight / 2}>
              {cut(labels[at] ?? '')}
            </text>
          </g>
        ))}
      </svg>
    </div>
  );
}

/** It stands at the right, and what led to it may be wider than the page. */
const toWhatWasMade = (picture: HTMLElement | null): void => {
  if (!picture) return;
  picture.scrollLeft = picture.scrollWidth;
  picture.scrollTop = (picture.scrollHeight - picture.clientHeight) / 2;
};

const labelCharacters = 20;
const cut = (text: string): string => (text.length > labelCharacters ? `${text.slice(0, labelCharacters - 1)}…` : text);

/** `…/artifact/0123456789ab@v=2` is `01234567 v2`; any other address its end. */
function shortOf(uri: string): string {
  const artifact = /artifact\/([^@]*)@v=(\d+)$/.exec(uri);
  return artifact ? `${artifact[1]?.slice(0, 8)} v${artifact[2]}` : (uri.split('/').at(-1) ?? uri);
}
