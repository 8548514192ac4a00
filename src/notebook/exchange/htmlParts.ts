// What an exported page is made of beside its blocks: its style, and the few lines that draw charts and fit frames.
import type { ChartScript } from '../../charts.ts';

export const style = `
:root { color-scheme: light dark; --ink: light-dark(#1c1e21, #e4e6ea); --soft: light-dark(#5b616b, #9aa1ac); --paper: light-dark(#fff, #15171a); --panel: light-dark(#f6f7f9, #1e2126); --line: light-dark(#e1e4e8, #30343b); --accent: light-dark(#1f5fbf, #7fb0ff); --string: light-dark(#0b6b3a, #7fd6a4); }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.55 system-ui, sans-serif; }
main { max-width: 860px; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.7rem; } h2 { font-size: 1.1rem; margin: 2.25rem 0 .25rem; }
a { color: var(--accent); }
pre { font: 13.5px/1.5 ui-monospace, monospace; overflow-x: auto; margin: 0; }
figure { margin: .5rem 0; } figcaption { font-size: .75rem; color: var(--soft); margin-bottom: .25rem; }
.source, .text pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: .6rem .75rem; }
.source { margin: .5rem 0; } .source > summary { cursor: pointer; font-size: .75rem; color: var(--soft); } .source[open] > summary { margin-bottom: .4rem; }
.text pre { white-space: pre-wrap; overflow-wrap: anywhere; background: none; }
.markdown, .formula { margin: 1rem 0; overflow-wrap: anywhere; } .formula { overflow-x: auto; }
.markdown > :first-child { margin-top: 0; } .markdown > :last-child { margin-bottom: 0; }
.markdown code { font: .875em ui-monospace, monospace; background: var(--panel); border-radius: 4px; padding: .1em .3em; }
.markdown pre { white-space: pre-wrap; background: var(--panel); border-radius: 6px; padding: .6rem .75rem; } .markdown pre code { padding: 0; }
.markdown blockquote { margin: 0; padding-left: 1rem; border-left: 3px solid var(--line); color: var(--soft); }
.chips { margin: 0 0 .5rem; } .chip { font-size: .75rem; color: var(--soft); border: 1px solid var(--line); border-radius: 99px; padding: .1rem .5rem; }
details.touched { color: var(--soft); font-size: .8rem; overflow-wrap: anywhere; } .touched summary { cursor: pointer; } .touched ul { margin: .25rem 0 0; padding-left: 1.2rem; }
.note { color: var(--soft); font-size: .9rem; }
.switch { float: right; font-size: .8rem; color: var(--soft); cursor: pointer; }
body:has(#sources:not(:checked)) .source { display: none; }
img { max-width: 100%; height: auto; } figure > img { border-radius: 4px; background: #fff; }
iframe { display: block; width: 100%; border: 0; color-scheme: light dark; }
.chart { overflow: auto hidden; }
.table { overflow: auto; max-height: 32rem; margin: .5rem 0; } .table th { position: sticky; top: 0; background: var(--paper); box-shadow: inset 0 -1px var(--line); } table { border-collapse: collapse; font-size: .875rem; font-variant-numeric: tabular-nums; }
th, td { text-align: left; padding: .3rem .6rem; border-bottom: 1px solid var(--line); } th { color: var(--soft); font-weight: 600; } .number { text-align: right; }
.word { color: var(--accent); } .string { color: var(--string); } .comment { color: var(--soft); font-style: italic; }
main:has(> .grid) { max-width: 1120px; } main.with-aside { max-width: 1280px; display: grid; grid-template-columns: 280px minmax(0, 1fr); gap: 0 2rem; align-content: start; } .with-aside > * { grid-column: 2; min-width: 0; } .with-aside > aside + h1 { grid-column: 1 / -1; grid-row: 1; } .with-aside > aside { grid-column: 1; grid-row: 2 / span 1000; }
.grid { display: grid; grid-template-columns: repeat(12, minmax(0, 1fr)); gap: 0 1.25rem; } .grid > * { grid-column: 1 / -1; min-width: 0; } .grid > .part { grid-column: span var(--width); } .part > h2 { margin-top: .75rem; }
.tabs { position: relative; margin: 1rem 0; } .tab-names { display: flex; flex-wrap: wrap; gap: .25rem; border-bottom: 1px solid var(--line); } .tab-names label { padding: .35rem .75rem; cursor: pointer; color: var(--soft); border-bottom: 2px solid transparent; } .tab-names label:has(:checked) { color: var(--ink); border-color: var(--accent); } .tab-names label:has(:focus-visible) { outline: 2px solid var(--accent); } .tab-names input { position: absolute; opacity: 0; } .tab-name { display: none; }
.tabs > section { position: absolute; width: 100%; height: 0; overflow: hidden; visibility: hidden; }
@media (max-width: 720px) { main.with-aside, .grid { display: block; } }
@media print {
  main.with-aside { display: block; } .tab-names { display: none; } .tab-name { display: block; } .tabs > section { position: static; height: auto; overflow: visible; visibility: visible; }
  :root { color-scheme: light; }
  main { max-width: none; padding: 0; } .switch { display: none; }
  figure, tr, img { break-inside: avoid; } .table { max-height: none; overflow: visible; } .table th { position: static; } h1, h2, .chips { break-after: avoid; } pre { white-space: pre-wrap; }
  .chart.dark { background: #15171a; print-color-adjust: exact; }
}
`;

/** Draws what stands beside each place, again when the reader turns to dark or light. */
export const drawing = `
const dark = matchMedia('(prefers-color-scheme: dark)');
const erasers = new Map();
async function draw() {
  for (const place of document.querySelectorAll('[data-chart]')) {
    erasers.get(place)?.();
    place.parentElement.classList.toggle('dark', dark.matches);
    try {
      const spec = JSON.parse(place.nextElementSibling.textContent);
      erasers.set(place, await svcCharts[place.dataset.chart](place, spec, dark.matches));
    } catch (problem) {
      place.textContent = 'This chart could not be drawn: ' + problem.message;
    }
  }
}
dark.addEventListener('change', draw);
draw();
`;

/** An output in a frame tells how tall it is, once: this has to listen before there are frames. */
export const fitting = `
addEventListener('message', ({ source, data }) => {
  if (typeof data?.height !== 'number') return;
  for (const frame of document.querySelectorAll('iframe'))
    if (frame.contentWindow === source) frame.style.height = Math.min(4000, Math.max(24, Math.ceil(data.height))) + 'px';
});
`;

/** The page around the HTML of an output, in its frame. */
export const framed = (html: string): string =>
  `<!doctype html><meta charset="utf-8"><meta name="color-scheme" content="light dark"><style>html:root, :root > body { height: auto; min-height: 0; } body { margin: 0; font: 14px/1.5 system-ui, sans-serif; overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; } th, td { padding: 3px 10px; border-bottom: 1px solid #8883; text-align: left; }</style><body>${html}<script>new ResizeObserver(() => parent.postMessage({ height: document.documentElement.getBoundingClientRect().height }, '*')).observe(document.documentElement);</script>`;

/** Where the output stands in the text around it. */
const output = '\u0000';

/**
 * Widgets in frames of their own, each of which is given what shows them; what a person does in one is told to the others that hold the
 * same, as `web/src/outputs/widgetRelay.ts` does.
 */
export const widgetFrames = `
const [before, after] = ${JSON.stringify(framed(output)).replaceAll('<', '\\u003c')}.split(String.fromCharCode(0));
const inScript = (text) => '<scr' + 'ipt>' + text + '</scr' + 'ipt>';
const shows = document.getElementById('shows-widgets').textContent;
const held = new Map();
let touched;
for (const frame of document.querySelectorAll('iframe[data-widget]')) {
  const json = frame.nextElementSibling.textContent;
  frame.srcdoc = before + inScript(shows) + inScript('svcShowWidget(' + json + ')') + after;
  held.set(frame.contentWindow, new Set(Object.keys(JSON.parse(json).widgets.state)));
}
addEventListener('message', ({ source, data }) => {
  const word = data?.widget;
  if (!held.has(source) || !word) return;
  if (word === 'touched') touched = source;
  if (typeof word !== 'object' || (touched && touched !== source && held.get(touched).has(word.model))) return;
  for (const [other, models] of held) if (other !== source && models.has(word.model)) other.postMessage({ widget: word }, '*');
});
`;

/** What the page may do: never ask anybody for anything; act only where it holds something that does. */
export function policyOf(scripts: ReadonlySet<ChartScript>, hasFrames: boolean): string {
  const acts = scripts.size > 0 || hasFrames ? "; script-src 'unsafe-inline'" : '';
  // Outputs inherit this in their frames; some evaluate code of their own.
  const evaluates = hasFrames ? " 'unsafe-eval' blob:" : '';
  return `default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; font-src data:${acts}${evaluates}`;
}
