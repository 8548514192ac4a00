// Plotly's flat charts, by far the most common ones.
import { newPlot, purge } from 'plotly.js-cartesian-dist-min';
import { offer } from './draw.ts';
import { drawWith } from './plotlyFigure.ts';

offer('plotly', drawWith({ newPlot, purge }));
