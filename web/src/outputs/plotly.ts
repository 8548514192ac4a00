// Plotly figures, in the colours of the page.
import { newPlot, purge } from 'plotly.js-cartesian-dist-min';
import type { Draw } from './draw.ts';

const membersOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});

export const drawPlotly: Draw = async (place, spec, isDark) => {
  const data = 'data' in spec ? spec.data : [];
  const layout = {
    ...membersOf('layout' in spec ? spec.layout : {}),
    autosize: true,
    paper_bgcolor: 'transparent',
    ...(isDark ? { plot_bgcolor: 'transparent', font: { color: '#ecebe7' } } : {}),
  };
  await newPlot(place, data, layout, { responsive: true, displaylogo: false });
  return () => purge(place);
};
