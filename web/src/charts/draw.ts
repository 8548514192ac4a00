// What every script that draws charts gives to whoever loads it: the page, or a page that was exported.
import type { ChartScript } from '../../../src/charts.ts';

/** Draws into the place; gives what takes it away again. */
export type Draw = (place: HTMLElement, spec: object, isDark: boolean) => Promise<() => void>;

declare global {
  var svcCharts: Partial<Record<ChartScript, Draw>> | undefined;
}

export function offer(script: ChartScript, draw: Draw): void {
  globalThis.svcCharts = { ...globalThis.svcCharts, [script]: draw };
}
