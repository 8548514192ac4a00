// All of Plotly, in the form that evaluates no code: the page's policy would not let it.
import { newPlot, purge } from 'plotly.js-strict-dist-min';
import { offer } from './draw.ts';
import { drawWith } from './plotlyFigure.ts';

offer('plotlyWhole', drawWith({ newPlot, purge }));
