// The part of Plotly that this app calls; the packages have no types of their own.
declare module 'plotly.js-cartesian-dist-min' {
  export function newPlot(place: HTMLElement, figure: object): Promise<unknown>;
  export function purge(place: HTMLElement): void;
}

declare module 'plotly.js-strict-dist-min' {
  export { newPlot, purge } from 'plotly.js-cartesian-dist-min';
}
