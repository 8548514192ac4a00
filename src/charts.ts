// Charts that come as data: which script draws them, on the page and in exported pages alike, and which ones none does.

/** One each, built to stand alone: `web/src/charts`. */
export const chartScripts = ['plotly', 'plotlyWhole', 'vega'] as const;
export type ChartScript = (typeof chartScripts)[number];

export type Drawing = { readonly script: ChartScript } | { readonly refused: string };

export const isChartType = (type: string): boolean => type.startsWith('application/vnd.') && type.endsWith('+json');

/** What the smaller script of Plotly knows; the whole one is three times its size. */
const flatTraces = new Set(
  'bar box contour heatmap histogram histogram2d histogram2dcontour image pie scatter scatterternary violin'.split(' '),
);
/** Their maps would be fetched from elsewhere. */
const mapTraces =
  /^(choropleth|scattergeo|scattermap|choroplethmap|densitymap|scattermapbox|choroplethmapbox|densitymapbox)$/;

export function drawingOf(type: string, spec: object): Drawing {
  if (/\.vega(lite)?\./.test(type)) return { script: 'vega' };
  if (!/\.plotly\./.test(type)) return { refused: `Charts of the type ${type} are not drawn here.` };
  const kinds = [...new Set(tracesOf(spec).map(kindOf))];
  const maps = kinds.filter((kind) => mapTraces.test(kind));
  if (maps.length > 0)
    return {
      refused: `This figure holds a map (${maps.join(', ')}), which would have to be fetched from elsewhere: it is not drawn here.`,
    };
  return { script: kinds.every((kind) => flatTraces.has(kind)) ? 'plotly' : 'plotlyWhole' };
}

function tracesOf(spec: object): readonly unknown[] {
  const data = 'data' in spec && Array.isArray(spec.data) ? spec.data : [];
  const frames = 'frames' in spec && Array.isArray(spec.frames) ? spec.frames : [];
  return [...data, ...frames.flatMap((frame) => (isObject(frame) ? tracesOf(frame) : []))];
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** A trace that does not say is a scatter. */
const kindOf = (trace: unknown): string =>
  isObject(trace) && 'type' in trace && typeof trace.type === 'string' ? trace.type : 'scatter';
