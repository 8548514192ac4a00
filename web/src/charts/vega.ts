// Vega and Vega-Lite charts. Expressions are interpreted, since the page's policy evaluates no code.
import embed from 'vega-embed';
import { expressionInterpreter } from 'vega-interpreter';
import { offer } from './draw.ts';

offer('vega', async (place, spec, isDark) => {
  const { finalize } = await embed(
    place,
    { background: 'transparent', ...spec },
    {
      actions: false,
      ast: true,
      expr: expressionInterpreter,
      renderer: 'svg',
      ...(isDark ? { theme: 'dark' } : {}),
    },
  );
  return finalize;
});
