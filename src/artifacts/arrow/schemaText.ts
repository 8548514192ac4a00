// An Arrow schema in words: a line for each field, with its type, and the metadata of fields that carry some.
import type { DataType, Field } from '@uwdata/flechette';
import { ArrowInvalid } from './invalid.ts';

const endOfStream = Buffer.from([0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]);

/** `head`: the flatbuffer of the schema message. */
export async function schemaText(head: Uint8Array): Promise<string> {
  const { tableFromIPC } = await import('@uwdata/flechette');
  const length = Buffer.alloc(8);
  length.writeUInt32LE(0xffffffff, 0);
  length.writeUInt32LE(head.length, 4);
  try {
    const { schema } = tableFromIPC(Buffer.concat([length, head, endOfStream]));
    return schema.fields.map(fieldText).join('\n');
  } catch {
    throw new ArrowInvalid('the schema of the stream cannot be read');
  }
}

function fieldText({ name, type, nullable, metadata }: Field): string {
  const line = `${name}: ${typeText(type)}${nullable ? '' : ' not null'}`;
  if (!metadata || metadata.size === 0) return line;
  const entries = [...metadata].map(([key, value]) => `\n  ${key}: '${value}'`);
  return `${line}\n  -- field metadata --${entries.join('')}`;
}

const units = ['s', 'ms', 'us', 'ns'];
const floats = ['halffloat', 'float', 'double'];
const simple: Readonly<Record<number, string>> = {
  1: 'null',
  4: 'binary',
  5: 'string',
  6: 'bool',
  19: 'large_binary',
  20: 'large_string',
  23: 'binary_view',
  24: 'string_view',
};

const member = ({ name, type, nullable }: Field): string => `${name}: ${typeText(type)}${nullable ? '' : ' not null'}`;
const listOf = (kind: string, [item]: readonly Field[]): string => `${kind}<${item ? member(item) : ''}>`;

function typeText(type: DataType): string {
  switch (type.typeId) {
    case -1:
      return `dictionary<values=${typeText(type.dictionary)}, indices=${typeText(type.indices)}, ordered=${type.ordered ? 1 : 0}>`;
    case 2:
      return `${type.signed ? 'int' : 'uint'}${type.bitWidth}`;
    case 3:
      return floats[type.precision] ?? 'double';
    case 7:
      return `decimal${type.bitWidth}(${type.precision}, ${type.scale})`;
    case 8:
      return type.unit === 0 ? 'date32[day]' : 'date64[ms]';
    case 9:
      return `time${type.bitWidth}[${units[type.unit]}]`;
    case 10:
      return `timestamp[${units[type.unit]}${type.timezone ? `, tz=${type.timezone}` : ''}]`;
    case 11:
      return ['month_interval', 'day_time_interval', 'month_day_nano_interval'][type.unit] ?? 'interval';
    case 12:
      return listOf('list', type.children);
    case 13:
      return `struct<${type.children.map(member).join(', ')}>`;
    case 15:
      return `fixed_size_binary[${type.stride}]`;
    case 16:
      return `fixed_size_${listOf('list', type.children)}[${type.stride}]`;
    case 17: {
      const [key, value] = type.children[0]?.type.typeId === 13 ? type.children[0].type.children : [];
      return `map<${key ? typeText(key.type) : ''}, ${value ? typeText(value.type) : ''}>`;
    }
    case 18:
      return `duration[${units[type.unit]}]`;
    case 21:
      return listOf('large_list', type.children);
    default:
      return simple[type.typeId] ?? `type ${type.typeId}`;
  }
}
