/** Prometheus families as plain values: a name, a kind, and samples. `prometheus.ts` prints them. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  /** Without the prefix. */
  readonly name: string;
  readonly kind: 'counter' | 'gauge';
  readonly help: string;
  readonly labelNames: readonly string[];
  readonly samples: readonly Sample[];
}

export function counter(name: string, help: string, value: number): Family {
  return { name, kind: 'counter', help, labelNames: [], samples: [{ labels: {}, value }] };
}

export function gauge(name: string, help: string, value: number): Family {
  return { name, kind: 'gauge', help, labelNames: [], samples: [{ labels: {}, value }] };
}

/** One sample for each value of one label. */
export function counterBy(label: string, name: string, help: string, values: Iterable<[string, number]>): Family {
  return { name, kind: 'counter', help, labelNames: [label], samples: samplesBy(label, values) };
}

export function gaugeBy(label: string, name: string, help: string, values: Iterable<[string, number]>): Family {
  return { name, kind: 'gauge', help, labelNames: [label], samples: samplesBy(label, values) };
}

function samplesBy(label: string, values: Iterable<[string, number]>): Sample[] {
  return Array.from(values, ([of, value]) => ({ labels: { [label]: of }, value }));
}
