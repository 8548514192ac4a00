// Widget cells: controls whose values are variables. Nothing is run; a run stores what is chosen.
import { createHash } from 'node:crypto';
import fs from 'node:fs/promises';
import path from 'node:path';
import type { Analysis, WidgetCell } from '../../engine/index.ts';
import { type Job, type RunResult, succeededRun, type ValueRecord } from '../../runtimes/index.ts';
import { CellRefused, type Language } from './language.ts';
import { noNames } from './sourceDigest.ts';
import { effective, pythonJson, type WidgetValues } from './widgetValues.ts';

export function widgetLanguage(analysis: Pick<Analysis, 'widgets'>): Language {
  return {
    async read(cells) {
      const widgets = await analysis.widgets(cells.map(({ source }) => source));
      return widgets.map((widget) => {
        const defines = widget.descriptors.map(({ name }) => name);
        const digest = createHash('sha256').update(JSON.stringify(widget)).digest('hex');
        return { names: { ...noNames, defines }, digest, widget };
      });
    },

    async engage({ cell, chosen }) {
      const [widget] = await analysis.widgets([cell.source]);
      if (!widget || widget.errors.length > 0) {
        throw new CellRefused('WidgetInvalid', `The widgets cannot be read: ${widget?.errors.join('; ')}`);
      }
      return { run: (job) => storeValues(job, widget, chosen) };
    },
  };
}

async function storeValues({ outputDir }: Job, widget: WidgetCell, chosen: WidgetValues): Promise<RunResult> {
  const began = performance.now();
  const values = effective(widget, chosen);
  const variables: Record<string, ValueRecord> = {};
  for (const descriptor of widget.descriptors) {
    const { name } = descriptor;
    const value = values[name];
    const text = pythonJson(descriptor, value);
    const file = `${createHash('sha256').update(name).digest('hex').slice(0, 16)}.json`;
    await fs.writeFile(path.join(outputDir, file), text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    variables[name] = { content_type: 'json/object', file, bytes: Buffer.byteLength(text), sha256, preview: value };
  }
  return succeededRun({ executionMethod: 'widget', variables, durationMs: performance.now() - began });
}
