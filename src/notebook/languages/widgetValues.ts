// What a user may choose on a control: anything else is left out, and numbers are brought into their range.
import type { WidgetCell, WidgetDescriptor } from '../../engine/index.ts';

export type WidgetValues = Readonly<Record<string, unknown>>;

/** The usable ones of the values. */
export function coerced(descriptors: readonly WidgetDescriptor[], values: WidgetValues): Record<string, unknown> {
  const chosen: Record<string, unknown> = {};
  for (const descriptor of descriptors) {
    if (!Object.hasOwn(values, descriptor.name)) continue;
    const value = coerce(descriptor, values[descriptor.name]);
    if (value !== undefined) chosen[descriptor.name] = value;
  }
  return chosen;
}

function coerce({ kind, params }: WidgetDescriptor, value: unknown): unknown {
  switch (kind) {
    case 'slider':
    case 'number':
      return inRange(value, params);
    case 'checkbox':
      return isTruthy(value);
    case 'dropdown': {
      const options = Array.isArray(params.options) ? params.options : [];
      return options.find((option) => JSON.stringify(option) === JSON.stringify(value));
    }
    case 'text':
      return typeof value === 'string' ? value : undefined;
  }
}

function inRange(value: unknown, { min, max }: Readonly<Record<string, unknown>>): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isFinite(number)) return undefined;
  const floored = typeof min === 'number' ? Math.max(min, number) : number;
  return typeof max === 'number' ? Math.min(max, floored) : floored;
}

/** As Python has it: what is empty is false. */
const isTruthy = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0
    : value !== null && typeof value === 'object'
      ? Object.keys(value).length > 0
      : Boolean(value);

/** What each control stands at: what was chosen, else its default. */
export function effective({ descriptors }: WidgetCell, chosen: WidgetValues): Record<string, unknown> {
  const defaults = Object.fromEntries(descriptors.map(({ name, default: value }) => [name, value]));
  return { ...defaults, ...coerced(descriptors, chosen) };
}

/** The value as Python would write it: a control of fractions gives 100.0, one of whole numbers 100. */
export function pythonJson({ kind, whole }: WidgetDescriptor, value: unknown): string {
  const isNumber = (kind === 'slider' || kind === 'number') && typeof value === 'number';
  return isNumber && !whole && Number.isInteger(value) && Math.abs(value) < 1e16 ? `${value}.0` : JSON.stringify(value);
}
