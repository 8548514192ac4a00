// Charts as pictures, for files that cannot act. Vega's are drawn by Vega itself; of Plotly's figures those whose data say all
// that there is to see. Everything else has no picture here, and says so.
import { Worker } from 'node:worker_threads';
import { threadProgram } from '../../places.ts';
import type { ChartBlock } from './blocks.ts';
import { plotlyAsVega } from './plotlyAsVega.ts';

export interface ChartPictures extends AsyncDisposable {
  /** An SVG; null where there is none to be had. */
  draw(chart: Pick<ChartBlock, 'type' | 'json'>): Promise<string | null>;
}

const limits = { milliseconds: 20_000, maxOldGenerationSizeMb: 512 };

export function openChartPictures(): ChartPictures {
  let thread: Worker | undefined;

  async function stop(): Promise<void> {
    await thread?.terminate();
    thread = undefined;
  }

  async function ask(spec: object, isLite: boolean): Promise<string | null> {
    const { promise, resolve } = Promise.withResolvers<string | null>();
    const { maxOldGenerationSizeMb } = limits;
    const resourceLimits = { maxOldGenerationSizeMb };
    thread ??= new Worker(threadProgram('notebook/exchange/vegaThread'), { resourceLimits });
    const asked = thread;
    const giveUp = (): void => {
      resolve(null);
      if (thread === asked) void stop();
    };
    const late = setTimeout(giveUp, limits.milliseconds);
    const answer = ({ svg }: { readonly svg?: string }): void => resolve(svg ?? null);
    asked.once('message', answer).once('error', giveUp);
    asked.postMessage({ spec, isLite });
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      asked.off('message', answer).off('error', giveUp);
    }
  }

  return {
    async draw({ type, json }) {
      const spec: unknown = JSON.parse(json);
      if (typeof spec !== 'object' || spec === null) return null;
      if (/\.vega(lite)?\./.test(type)) return ask(spec, isVegaLite(type, spec));
      const drawn = /\.plotly\./.test(type) ? plotlyAsVega(spec) : null;
      return drawn === null ? null : ask(drawn, true);
    },
    [Symbol.asyncDispose]: stop,
  };
}

/** A spec that names its own schema knows best. */
function isVegaLite(type: string, spec: object): boolean {
  const named = '$schema' in spec ? /\/schema\/(vega(?:-lite)?)\//.exec(String(spec.$schema))?.[1] : undefined;
  return named === undefined ? type.includes('.vegalite.') : named === 'vega-lite';
}
