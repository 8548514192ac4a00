// A widget as the HTML of its output: what shows widgets, and the one that is shown. The same on the page and in exported pages.
import type { WidgetView } from './widgetView.ts';

/** `script`: `web/src/widgets/frame.ts` as it was built. */
export const widgetHtml = (script: string, view: WidgetView): string =>
  `<script>${script}</script><script>svcShowWidget(${JSON.stringify(view).replaceAll('<', '\\u003c')})</script>`;

/** Hosts that scripts of anywidget import from, which they cannot here. */
export function hostsOfWidgets({ widgets }: WidgetView): string[] {
  const scripts = Object.values(widgets.state).map(({ state }) => String(state._esm ?? ''));
  const imports = /\b(?:from|import)\s*(?:\(\s*)?["'`]https?:\/\/([\w.-]+)/g;
  return [...new Set(scripts.flatMap((text) => [...text.matchAll(imports)].map(([, host = '']) => host)))];
}
