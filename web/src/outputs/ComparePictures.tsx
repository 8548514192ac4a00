// Two pictures side by side, and where they differ.
import { useEffect, useRef, useState } from 'react';
import '../grid/compare.css';
import './output.css';

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

export interface ComparedPicture {
  readonly source: string;
  /** It is drawn in the colours of the page: its code chose none. */
  readonly followsTheme: boolean;
}

interface ComparePicturesProps {
  readonly pictures: readonly [before: ComparedPicture, after: ComparedPicture];
  readonly names: [string, string];
}

export function ComparePictures({ pictures, names }: ComparePicturesProps) {
  const [before, after] = [pictures[0].source, pictures[1].source];
  const field = useRef<HTMLCanvasElement>(null);
  const [said, setSaid] = useState('Comparing …');
  useEffect(() => {
    let isGone = false;
    async function compare(): Promise<void> {
      const now = await pixelsOf(after);
      const old = await pixelsOf(before);
      const [width, height] = [Math.max(old.width, now.width), Math.max(old.height, now.height)];
      const { marked, count } = difference(await pixelsOf(before, width, height), await pixelsOf(after, width, height));
      if (isGone || !field.current) return;
      field.current.width = width;
      field.current.height = height;
      field.current.getContext('2d')?.putImageData(marked, 0, 0);
      const share = ((100 * count) / (width * height)).toPrecision(2);
      const sizes =
        old.width === now.width && old.height === now.height
          ? ''
          : `; ${old.width} × ${old.height} became ${now.width} × ${now.height}`;
      setSaid(count === 0 ? 'Both are the same' : `${Number(share)} % of the picture differs${sizes}`);
    }
    compare().catch(() => setSaid('These pictures cannot be compared.'));
    return () => {
      isGone = true;
    };
  }, [before, after]);
  return (
    <div className="compare-pictures">
      {pictures.map(({ source, followsTheme }, at) => (
        <figure key={names[at]}>
          <img className={followsTheme ? 'picture ink' : 'picture'} src={source} alt={names[at]} />
          <figcaption>{names[at]}</figcaption>
        </figure>
      ))}
      <figure>
        <canvas ref={field} className="picture ink" role="img" aria-label={said} />
        <figcaption role="status">{said}</figcaption>
      </figure>
    </div>
  );
}
