// Made by the build: the file of each script that draws charts, and of the one that shows widgets, below `assets`.
declare module 'virtual:outputScripts' {
  export const files: Readonly<Record<import('../../../src/charts.ts').ChartScript, string>>;
  export const widgets: string;
}
