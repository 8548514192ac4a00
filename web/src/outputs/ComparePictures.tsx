// Two pictures side by side, and where they differ.
import { useEffect, useRef, useState } from 'react';
import '../grid/compare.css';

/** Less than this of a colour is no difference that anybody sees. */
const leastSeen = 8;

async function pixelsOf(source: string, width?: number, height?: number): Promise<ImageData> {
  const picture = new Image();
  picture.src = source;
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = width ?? picture.naturalWidth;
  canvas.height = height ?? picture.naturalHeight;
  const field = canvas.getContext('2d');
  if (!field) throw new Error('This browser cannot compare pictures.');
  field.drawImage(picture, 0, 0);
  return field.getImageData(0, 0, canvas.width, canvas.height);
}

/** The second picture in grey, with what differs in red; and how many of its pixels that is. */
function difference(before: ImageData, after: ImageData): { readonly marked: ImageData; readonly count: number } {
  const marked = new ImageData(after.width, after.height);
  let count = 0;
  for (let at = 0; at < after.data.length; at += 4) {
    const channel = (of: ImageData, place: number): number => of.data[at + place] ?? 0;
    const differs = [0, 1, 2, 3].some((place) => Math.abs(channel(before, place) - channel(after, place)) > leastSeen);
    const grey = 160 + (channel(after, 0) + channel(after, 1) + channel(after, 2)) / 8;
    if (differs) count += 1;
    marked.data.set(differs ? [220, 30, 30, 255] : [grey, grey, grey, 255], at);
  }
  return { marked, count };
}

export function ComparePictures({ before, after, names }: { before: string; after: string; names: [string, string] }) {
  const field = useRef<HTMLCanvasElement>(null);
  const [said, setSaid] = useState('Comparing …');
  useEffect(() => {
    let isGone = false;
    async function compare(): Promise<void> {
      const now = await pixelsOf(after);
      const then = await pixelsOf(before, now.width, now.height);
      const { marked, count } = difference(then, now);
      if (isGone || !field.current) return;
      field.current.width = now.width;
      field.current.height = now.height;
      field.current.getContext('2d')?.putImageData(marked, 0, 0);
      const share = ((100 * count) / (now.width * now.height)).toPrecision(2);
      setSaid(count === 0 ? 'Both are the same' : `${Number(share)} % of the picture differs`);
    }
    compare().catch(() => setSaid('These pictures cannot be compared.'));
    return () => {
      isGone = true;
    };
  }, [before, after]);
  return (
    <div className="compare-pictures">
      {[before, after].map((source, at) => (
        <figure key={names[at]}>
          <img src={source} alt={names[at]} />
          <figcaption>{names[at]}</figcaption>
        </figure>
      ))}
      <figure>
        <canvas ref={field} role="img" aria-label={said} />
        <figcaption role="status">{said}</figcaption>
      </figure>
    </div>
  );
}
