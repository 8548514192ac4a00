// A widget of ipywidgets or anywidget as a cell shows it: its view, and the state of all widgets that belong together, in the form
// that Jupyter embeds in pages. The page reads it too, so nothing heavy is imported here.

export interface WidgetModel {
  readonly model_name: string;
  readonly model_module: string;
  readonly model_module_version: string;
  readonly state: Readonly<Record<string, unknown>>;
  readonly buffers?: readonly {
    readonly path: (string | number)[];
    readonly encoding: 'base64';
    readonly data: string;
  }[];
}

export interface WidgetState {
  readonly version_major: 2;
  readonly version_minor: number;
  readonly state: Readonly<Record<string, WidgetModel>>;
}

export interface WidgetView {
  readonly version_major: 2;
  readonly version_minor: number;
  readonly model_id: string;
  /** In words, for whoever shows nothing else. */
  readonly text: string;
  /** Whether code of the cell listens to what a person does with it. */
  readonly is_heard: boolean;
  readonly widgets: WidgetState;
}

/** Null for a text that is no view. */
export function readWidgetView(json: string): WidgetView | null {
  try {
    const value: unknown = JSON.parse(json);
    return isView(value) ? value : null;
  } catch {
    return null;
  }
}

/** A widget by its name among others that were kept, with those that belong to it; null where it is not among them. */
export function widgetViewIn({ state }: WidgetState, modelId: string, text: string): WidgetView | null {
  if (state[modelId] === undefined) return null;
  const mentioned = Object.entries(state).map(([name, { state: own }]): readonly [string, ReadonlySet<string>] => [
    name,
    new Set(JSON.stringify(own).match(/(?<![\da-f])[\da-f]{32}(?![\da-f])/g)),
  ]);
  const together = new Set([modelId]);
  // Each that is found is gone through too: a set hands out what is added meanwhile.
  for (const one of together)
    for (const [name, names] of mentioned)
      if (name === one) for (const other of names) state[other] !== undefined && together.add(other);
      else if (names.has(one)) together.add(name);
  const kept = Object.fromEntries(Object.entries(state).filter(([name]) => together.has(name)));
  const version = { version_major: 2, version_minor: 0 } as const;
  return { ...version, model_id: modelId, text, is_heard: false, widgets: { ...version, state: kept } };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isView = (value: unknown): value is WidgetView =>
  isRecord(value) &&
  typeof value.model_id === 'string' &&
  typeof value.text === 'string' &&
  isWidgetState(value.widgets);

export const isWidgetState = (value: unknown): value is WidgetState =>
  isRecord(value) && isRecord(value.state) && Object.values(value.state).every(isModel);

const isModel = (value: unknown): value is WidgetModel =>
  isRecord(value) &&
  typeof value.model_name === 'string' &&
  typeof value.model_module === 'string' &&
  isRecord(value.state);
