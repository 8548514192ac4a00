// Bars, lines and points of Plotly as a Vega-Lite chart. Only a figure that says nothing beside what is understood here: one with
// anything else would be drawn without it, and be a wrong picture.
import { listOf, type Members, members, tracesIn } from './plotlyTraces.ts';

/** What decides nothing about where things are drawn. */
const idle = [
  'alignmentgroup cliponaxis customdata hoverinfo hoverlabel hovertemplate hovertext ids legendgroup legendrank meta name',
  'offsetgroup opacity showlegend textposition type uid uirevision visible x y xaxis yaxis mode line marker orientation',
].flatMap((names) => names.split(' '));
const known = {
  trace: new Set(idle),
  marker: new Set('color size symbol opacity line pattern cornerradius sizemode sizeref'.split(' ')),
  line: new Set('color width dash shape'.split(' ')),
  layout: new Set(
    'title xaxis yaxis legend margin template barmode bargap bargroupgap width height autosize showlegend font hovermode colorway plot_bgcolor paper_bgcolor coloraxis dragmode modebar separators'.split(
      ' ',
    ),
  ),
  axis: new Set(
    'title anchor domain type showgrid gridcolor zeroline zerolinecolor linecolor showline mirror ticks tickangle tickfont automargin categoryorder titlefont color visible'.split(
      ' ',
    ),
  ),
};

const hasOnly = (value: Members, names: ReadonlySet<string>): boolean =>
  Object.keys(value).every((name) => names.has(name));

/** Those of Plotly, where neither the figure nor its template has any. */
const usualColours = '#636efa #EF553B #00cc96 #ab63fa #FFA15A #19d3f3 #FF6692 #B6E880 #FF97FF #FECB52'.split(' ');

interface Series {
  readonly name: string;
  readonly colour: string;
  readonly kind: 'bar' | 'scatter';
  readonly mode: string;
  readonly isDashed: boolean;
  readonly x: readonly unknown[];
  readonly y: readonly unknown[];
}

type Scale = 'quantitative' | 'temporal' | 'nominal';

/** Null where it is more than bars, lines and points on two axes. */
export function plotlyAsVega(figure: object): object | null {
  const layout = members('layout' in figure ? figure.layout : {});
  const [xAxis, yAxis] = [members(layout.xaxis), members(layout.yaxis)];
  if ('frames' in figure && Array.isArray(figure.frames) && figure.frames.length > 0) return null;
  if (!hasOnly(layout, known.layout) || ![xAxis, yAxis].every(isPlainAxis)) return null;
  const traces = tracesIn(figure).filter(({ visible }) => visible !== false && visible !== 'legendonly');
  const series = traces.map((trace, at) => seriesOf(trace, at, coloursOf(layout)));
  if (series.length === 0 || !series.every((one) => one !== null)) return null;
  const isFlipped = traces.some(({ type, orientation }) => type === 'bar' && orientation === 'h');
  if (isFlipped && traces.some(({ type, orientation }) => type !== 'bar' || orientation !== 'h')) return null;
  const axes = { x: axisOf('x', xAxis, series), y: axisOf('y', yAxis, series) };
  const bars = series.filter(({ kind }) => kind === 'bar');
  // Bars stand on names: how wide they would be on numbers and dates is Plotly's matter.
  if (bars.length > 0 && axes[isFlipped ? 'y' : 'x'].type !== 'nominal') return null;
  const barmode = layout.barmode ?? 'group';
  if (bars.length > 1 && barmode !== 'group' && barmode !== 'stack') return null;
  return chartOf(series, axes, { isFlipped, isGrouped: barmode === 'group' && bars.length > 1, layout });
}

function seriesOf(trace: Members, at: number, colours: readonly string[]): Series | null {
  const { type = 'scatter' } = trace;
  const [line, marker] = [members(trace.line), members(trace.marker)];
  const [x, y] = [listOf(trace.x), listOf(trace.y)];
  if (type !== 'bar' && type !== 'scatter' && type !== 'scattergl') return null;
  if (!hasOnly(trace, known.trace) || !hasOnly(marker, known.marker) || !hasOnly(line, known.line)) return null;
  if ((trace.xaxis ?? 'x') !== 'x' || (trace.yaxis ?? 'y') !== 'y' || !y || (x && x.length !== y.length)) return null;
  // Sizes and colours point by point mean something.
  if ([marker.size, marker.color, marker.symbol].some((one) => typeof one === 'object' && one !== null)) return null;
  if ((line.shape ?? 'linear') !== 'linear') return null;
  const mode = typeof trace.mode === 'string' ? trace.mode : y.length < 20 ? 'lines+markers' : 'lines';
  if (!/^(lines|markers|lines\+markers)$/.test(mode)) return null;
  const colour = [marker.color, line.color].find((one) => typeof one === 'string' && /^[#\w]/.test(one));
  return {
    name: typeof trace.name === 'string' && trace.name !== '' ? trace.name : `trace ${at}`,
    colour: String(colour ?? colours[at % colours.length]),
    kind: type === 'bar' ? 'bar' : 'scatter',
    mode,
    isDashed: typeof line.dash === 'string' && line.dash !== 'solid',
    x: x ?? y.map((_, place) => place),
    y,
  };
}

function coloursOf(layout: Members): readonly string[] {
  const template = members(members(layout.template).layout);
  const found = [layout.colorway, template.colorway].find((one) => Array.isArray(one) && one.length > 0);
  return Array.isArray(found) ? found.map(String) : usualColours;
}

function isPlainAxis(axis: Members): boolean {
  const { type = '-', domain = [0, 1], categoryorder = 'trace' } = axis;
  const isWhole = Array.isArray(domain) && domain[0] === 0 && domain[1] === 1;
  return (
    hasOnly(axis, known.axis) &&
    isWhole &&
    categoryorder === 'trace' &&
    /^(-|linear|log|date|category)$/.test(String(type))
  );
}

interface Axis {
  readonly type: Scale;
  readonly isLog: boolean;
  readonly title: string | null;
}

const dateText = /^\d{4}-\d\d(-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?)?$/;

function axisOf(name: 'x' | 'y', axis: Members, series: readonly Series[]): Axis {
  const values = series.flatMap((one) => one[name]).filter((value) => value !== null);
  const type: Scale =
    axis.type === 'category'
      ? 'nominal'
      : values.every((value) => typeof value === 'number')
        ? 'quantitative'
        : values.every((value) => typeof value === 'string' && dateText.test(value))
          ? 'temporal'
          : 'nominal';
  return { type, isLog: axis.type === 'log' && type === 'quantitative', title: textOf(axis.title) };
}

/** Titles may hold tags. */
function textOf(title: unknown): string | null {
  const text = typeof title === 'string' ? title : members(title).text;
  return typeof text === 'string'
    ? text
        .replace(/<[^<>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim()
    : null;
}

const size = (value: unknown, usual: number): number =>
  typeof value === 'number' && value > 0 ? Math.min(value, 2000) : usual;

function chartOf(
  series: readonly Series[],
  axes: { readonly x: Axis; readonly y: Axis },
  {
    isFlipped,
    isGrouped,
    layout,
  }: { readonly isFlipped: boolean; readonly isGrouped: boolean; readonly layout: Members },
): object {
  const channel = ({ type, isLog, title }: Axis, field: 'x' | 'y', isBase: boolean): object => ({
    field,
    type,
    title,
    ...(type === 'nominal' ? { sort: null, axis: { labelAngle: isFlipped || hasRoom ? 0 : -40 } } : {}),
    ...(type === 'temporal' ? { scale: { type: 'utc' } } : {}),
    ...(type === 'quantitative' ? { scale: { type: isLog ? 'log' : 'linear', zero: !isLog && isBase } } : {}),
  });
  const names = new Set(series.flatMap(({ x }) => x.map(String)));
  const hasRoom = [...names].join('  ').length < 80;
  const hasBars = series.some(({ kind }) => kind === 'bar');
  const color = {
    field: 'series',
    type: 'nominal',
    title: null,
    scale: { domain: series.map(({ name }) => name), range: series.map(({ colour }) => colour) },
    ...(series.length === 1 && layout.showlegend !== true ? { legend: null } : {}),
  };
  const encoding = {
    x: channel(axes.x, 'x', hasBars && isFlipped),
    y: channel(axes.y, 'y', hasBars && !isFlipped),
    color,
  };
  const layer = (of: readonly Series[], mark: object, more: object = {}): object[] =>
    of.length === 0
      ? []
      : [{ data: { values: of.flatMap((one) => pointsOf(one, axes)) }, mark, encoding: { ...encoding, ...more } }];
  const beside = { [isFlipped ? 'yOffset' : 'xOffset']: { field: 'series', type: 'nominal', sort: null } };
  const scatter = (pattern: RegExp): Series[] =>
    series.filter(({ kind, mode }) => kind === 'scatter' && pattern.test(mode));
  const lines = scatter(/lines/);
  const order = { order: { field: 'at', type: 'quantitative' } };
  return {
    title: textOf(layout.title) ?? undefined,
    width: size(layout.width, 700),
    height: size(layout.height, 450) - 100,
    config: { background: 'white' },
    layer: [
      ...layer(
        series.filter(({ kind }) => kind === 'bar'),
        { type: 'bar' },
        isGrouped ? beside : {},
      ),
      ...layer(
        lines.filter(({ isDashed }) => !isDashed),
        { type: 'line' },
        order,
      ),
      ...layer(
        lines.filter(({ isDashed }) => isDashed),
        { type: 'line', strokeDash: [6, 4] },
        order,
      ),
      ...layer(scatter(/markers/), { type: 'point', filled: true, size: 36, opacity: 1 }),
    ],
  };
}

const pointsOf = ({ name, x, y }: Series, axes: { readonly x: Axis; readonly y: Axis }): object[] =>
  x.map((value, at) => ({ x: placed(value, axes.x), y: placed(y[at], axes.y), series: name, at }));

/** Plotly knows no zones: what stands there is shown. */
const placed = (value: unknown, { type }: Axis): unknown =>
  type === 'temporal' && typeof value === 'string' ? Date.parse(`${isoOf(value)}Z`) : value;

function isoOf(text: string): string {
  const [day = '', time = '00:00'] = text.split(/[T ]/);
  return `${day.length === 7 ? `${day}-01` : day}T${time}`;
}
