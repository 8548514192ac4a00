/**
 * Prints families in the Prometheus text format. `prom-client` costs 40 ms and 16 MiB to load, so it is loaded by the
 * first scrape. Each scrape fills a registry of its own: the counts live in this room, not in the library.
 */
import type { Family } from './families.ts';

export interface Scrape {
  readonly contentType: string;
  readonly text: string;
}

const prefix = 'svc_';

export async function printFamilies(families: readonly Family[]): Promise<Scrape> {
  const { Counter, Gauge, Registry } = await import('prom-client');
  const registry = new Registry();
  for (const { name, kind, help, labelNames, samples } of families) {
    const options = { name: `${prefix}${name}`, help, labelNames, registers: [registry] };
    const metric = kind === 'counter' ? new Counter(options) : new Gauge(options);
    for (const { labels, value } of samples) metric.inc(labels, value);
  }
  return { contentType: registry.contentType, text: await registry.metrics() };
}
