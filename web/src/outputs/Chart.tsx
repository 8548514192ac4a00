// Charts that come as data (Plotly, Vega-Lite). Until their libraries are part of the app, the data is shown.
import { Message } from '../ui/index.ts';
import { JsonTree } from './JsonTree.tsx';

const libraries: readonly [pattern: RegExp, name: string][] = [
  [/plotly/, 'Plotly'],
  [/vega/, 'Vega-Lite'],
];

export function Chart({ type, json }: { type: string; json: string | null }) {
  const name = libraries.find(([pattern]) => pattern.test(type))?.[1] ?? type;
  const value: unknown = json === null ? null : parsed(json);
  return (
    <>
      <Message>
        A {name} figure. This app does not draw it yet; <code>fig.to_html()</code> shown as HTML works, and here is its
        data.
      </Message>
      {typeof value === 'object' && value !== null && <JsonTree value={value} />}
    </>
  );
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}
