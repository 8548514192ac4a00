// Loads a script that draws charts, once, from this app's own origin.
import { files } from 'virtual:outputScripts';
import type { ChartScript } from '../../../src/charts.ts';
import { address } from '../api/index.ts';
import type { Draw } from '../charts/draw.ts';

const loading = new Map<ChartScript, Promise<void>>();

export async function chartScript(script: ChartScript): Promise<Draw> {
  const loaded = loading.get(script) ?? load(script);
  loading.set(script, loaded);
  try {
    await loaded;
  } catch (error) {
    loading.delete(script);
    throw error;
  }
  const draw = globalThis.svcCharts?.[script];
  if (!draw) throw new Error('The chart library could not be started. Reload the page.');
  return draw;
}

function load(script: ChartScript): Promise<void> {
  return new Promise((resolve, reject) => {
    const element = document.createElement('script');
    element.src = address(`/assets/${files[script]}`);
    element.onload = () => resolve();
    element.onerror = () => reject(new Error('The chart library could not be loaded. Reload the page to try again.'));
    document.head.append(element);
  });
}
