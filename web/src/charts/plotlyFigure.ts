// Plotly figures, in the colours of the page where their author chose none, and as tall as Plotly means them to be.
import type { Draw } from './draw.ts';

export interface Plotly {
  newPlot(place: HTMLElement, figure: object): Promise<unknown>;
  purge(place: HTMLElement): void;
}

/** Plotly's own; without one it takes that of its place, which has none. */
const usualHeight = 450;
/** Plotly's own leave a third of a small figure empty. */
const margin = { t: 56, r: 32, b: 56, l: 64 };
const ink = '#ecebe7';
const line = '#45484d';
const axis = { gridcolor: line, zerolinecolor: line, linecolor: line };
const wall = { ...axis, backgroundcolor: 'rgba(255, 255, 255, 0.04)' };
const onDark = {
  plot_bgcolor: 'transparent',
  font: { color: ink },
  xaxis: axis,
  yaxis: axis,
  scene: { xaxis: wall, yaxis: wall, zaxis: wall },
  polar: { bgcolor: 'transparent', angularaxis: axis, radialaxis: axis },
  ternary: { bgcolor: 'transparent', aaxis: axis, baxis: axis, caxis: axis },
};

export const drawWith =
  ({ newPlot, purge }: Plotly): Draw =>
  async (place, spec, isDark) => {
    const layout = members('layout' in spec ? spec.layout : {});
    await newPlot(place, {
      ...spec,
      layout: {
        ...layout,
        height: layout.height ?? usualHeight,
        autosize: true,
        template: templateOf(members(layout.template), isDark),
      },
      config: { responsive: true, displaylogo: false },
    });
    return () => purge(place);
  };

/** What a template says counts only where the figure says nothing. One with a paper of its own is a choice of colours. */
function templateOf(template: Members, isDark: boolean): object {
  const layout = members(template.layout);
  const paper = layout.paper_bgcolor ?? 'white';
  if (typeof paper === 'string' && !/^(white|#fff(fff)?|rgb\(255, ?255, ?255\))$/i.test(paper)) return template;
  return { ...template, layout: merged(layout, { paper_bgcolor: 'transparent', margin, ...(isDark ? onDark : {}) }) };
}

type Members = Readonly<Record<string, unknown>>;

const members = (value: unknown): Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};

function merged(below: Members, above: Members): Members {
  const both = Object.entries(above).map(([name, value]) => [
    name,
    typeof value === 'object' ? merged(members(below[name]), members(value)) : value,
  ]);
  return { ...below, ...Object.fromEntries(both) };
}
