// Made by the build: the file of each script that draws charts, below `assets`.
declare module 'virtual:charts' {
  export const files: Readonly<Record<import('../../../src/charts.ts').ChartScript, string>>;
}
