// The part of Plotly that this app calls; the package has no types of its own.
declare module 'plotly.js-cartesian-dist-min' {
  export function newPlot(place: HTMLElement, data: unknown, layout: object, config: object): Promise<unknown>;
  export function purge(place: HTMLElement): void;
}
