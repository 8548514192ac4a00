// Checks of widget cells: what the parser could not take, and defaults that no user could choose.

import type { WidgetDescriptor } from '../../../engine/index.ts';
import { lineOf } from '../block.ts';
import { type Check, type Diagnostic, found } from './types.ts';

export const checkWidget: Check = ({ facts: { widget } }) => [
  ...(widget?.errors ?? []).map((error) => found('warn', 'widget_invalid', error)),
  ...(widget?.descriptors ?? []).flatMap(checkControl),
];

function checkControl({ name, kind, params, default: given }: Omit<WidgetDescriptor, 'whole'>): Diagnostic[] {
  const { min, max, options } = params;
  if (kind === 'dropdown') {
    const isOption = !Array.isArray(options) || options.length === 0 || options.includes(given);
    const message = `The default of '${name}' is not one of its options`;
    return isOption ? [] : [found('warn', 'widget_default_not_an_option', message)];
  }
  if (kind !== 'slider' && kind !== 'number') return [];
  if (kind === 'slider' && typeof min === 'number' && typeof max === 'number' && min >= max) {
    return [found('warn', 'widget_bad_range', `'${name}' goes from ${min} to ${max}, which leaves nothing to choose`)];
  }
  const isBelow = typeof given === 'number' && typeof min === 'number' && given < min;
  const isAbove = typeof given === 'number' && typeof max === 'number' && given > max;
  if (!isBelow && !isAbove) return [];
  return [found('warn', 'widget_default_out_of_range', `The default of '${name}' lies outside ${min} to ${max}`)];
}

export const checkPrompt: Check = ({ annotations, block }) => {
  const schema = annotations.prompt.outputSchema;
  if (schema === null || isJsonObject(schema)) return [];
  const message = '@output_schema must be a JSON object on one line; it is ignored';
  return [found('warn', 'prompt_output_schema_invalid', message, lineOf(block, 'output_schema'))];
};

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
