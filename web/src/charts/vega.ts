// Vega and Vega-Lite charts. Expressions are interpreted, since the page's policy evaluates no code.
import embed from 'vega-embed';
import { expressionInterpreter } from 'vega-interpreter';
import { offer } from './draw.ts';

/** Those of the theme are as bright as what they help to read. */
const lines = {
  axis: { gridColor: '#33363b', domainColor: '#6b6f76', tickColor: '#6b6f76' },
  view: { stroke: '#45484d' },
};

offer('vega', async (place, spec, isDark) => {
  const { finalize } = await embed(
    place,
    { background: 'transparent', ...spec },
    {
      actions: false,
      ast: true,
      expr: expressionInterpreter,
      renderer: 'svg',
      ...(isDark ? { theme: 'dark', config: lines } : {}),
    },
  );
  return finalize;
});
