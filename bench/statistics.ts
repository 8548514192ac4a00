// The few statistics that a handful of samples can bear: the median, and the quartiles as its spread.

export interface Summary {
  readonly median: number;
  readonly lower: number;
  readonly upper: number;
  readonly samples: readonly number[];
}

export function summarise(samples: readonly number[]): Summary {
  const sorted = samples.toSorted((a, b) => a - b);
  return { median: quantile(sorted, 0.5), lower: quantile(sorted, 0.25), upper: quantile(sorted, 0.75), samples };
}

/** Between two samples the value is interpolated. */
function quantile(sorted: readonly number[], share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  if (below === undefined || above === undefined) throw new RangeError('There is no quantile of no samples.');
  return below + (above - below) * (place - Math.floor(place));
}
