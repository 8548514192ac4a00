// JSON values as an Arrow IPC stream: an object of arrays becomes a table, anything else one text in one row.
import type { DataType } from '@uwdata/flechette';

export class Unconvertible extends Error {
  override readonly name = 'Unconvertible';
}

type Kind =
  | { readonly kind: 'null' | 'int' | 'float' | 'bool' | 'text' }
  | { readonly kind: 'list'; readonly item: Kind }
  | { readonly kind: 'struct'; readonly members: ReadonlyMap<string, Kind> };

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whole numbers come as bigint, those with a fraction as number; `asText` gives what is no table. */
export async function arrowFromJson(data: unknown, asText: () => string): Promise<Uint8Array> {
  const arrow = await import('@uwdata/flechette');
  const columns =
    isRecord(data) && Object.values(data).every(Array.isArray) ? columnsOf(data) : new Map([['data', [asText()]]]);
  if (columns.size === 0) throw new Unconvertible('a table needs a column');
  const lengths = new Set([...columns.values()].map(({ length }) => length));
  if (lengths.size > 1) throw new Unconvertible('columns have different lengths');
  /** `isInner`: what is nothing everywhere inside lists and structs is text that is not there; no other type is written. */
  const typeOf = (kind: Kind, isInner: boolean): DataType => {
    switch (kind.kind) {
      case 'null':
        return isInner ? arrow.utf8() : arrow.nullType();
      case 'int':
        return arrow.int64();
      case 'float':
        return arrow.float64();
      case 'bool':
        return arrow.bool();
      case 'text':
        return arrow.utf8();
      case 'list':
        return arrow.list(typeOf(kind.item, true));
      case 'struct':
        return arrow.struct(
          Object.fromEntries([...kind.members].map(([name, member]) => [name, typeOf(member, true)])),
        );
    }
  };
  const kinds = [...columns].map(([name, values]): [string, Kind] => [name, common(name, values.map(kindOf))]);
  const table = arrow.tableFromArrays(
    [...columns].map(([name, values], index): [string, unknown[]] => [
      name,
      values.map((value) => shaped(value, kinds[index]?.[1] ?? { kind: 'null' })),
    ]),
    { types: Object.fromEntries(kinds.map(([name, kind]) => [name, typeOf(kind, false)])) },
  );
  const bytes = arrow.tableToIPC(table, { format: 'stream' });
  if (!bytes) throw new Unconvertible('no Arrow stream could be written');
  return bytes;
}

function columnsOf(data: Record<string, unknown>): Map<string, readonly unknown[]> {
  return new Map(Object.entries(data).map(([name, values]) => [name, Array.isArray(values) ? values : []]));
}

function kindOf(value: unknown): Kind {
  if (value === null || value === undefined) return { kind: 'null' };
  if (typeof value === 'boolean') return { kind: 'bool' };
  if (typeof value === 'string') return { kind: 'text' };
  if (typeof value === 'bigint') return { kind: 'int' };
  if (typeof value === 'number') return { kind: 'float' };
  if (Array.isArray(value)) return { kind: 'list', item: common('a list', value.map(kindOf)) };
  if (isRecord(value))
    return { kind: 'struct', members: new Map(Object.entries(value).map(([key, member]) => [key, kindOf(member)])) };
  throw new Unconvertible(`a value of type ${typeof value} has no Arrow type`);
}

function common(where: string, kinds: readonly Kind[]): Kind {
  return kinds.reduce((left, right) => joined(where, left, right), { kind: 'null' });
}

function joined(where: string, left: Kind, right: Kind): Kind {
  if (left.kind === 'null') return right;
  if (right.kind === 'null') return left;
  if (left.kind === 'list' && right.kind === 'list')
    return { kind: 'list', item: joined(where, left.item, right.item) };
  if (left.kind === 'struct' && right.kind === 'struct') {
    const members = new Map(left.members);
    for (const [name, kind] of right.members) {
      const before = members.get(name);
      members.set(name, before ? joined(where, before, kind) : kind);
    }
    return { kind: 'struct', members };
  }
  if (left.kind === right.kind) return left;
  const pair = new Set([left.kind, right.kind]);
  if (pair.has('int') && pair.has('float')) return { kind: 'float' };
  throw new Unconvertible(`'${where}' mixes ${left.kind} and ${right.kind} values`);
}

/** Whole numbers stay exact; where a column has fractions too, they become floats like the rest. */
function shaped(value: unknown, kind: Kind): unknown {
  if (value === null || value === undefined) return null;
  if (kind.kind === 'float') return Number(value);
  if (kind.kind === 'int') {
    const whole = typeof value === 'bigint' ? value : BigInt(String(value));
    if (BigInt.asIntN(64, whole) !== whole) throw new Unconvertible(`${whole} does not fit 64 bits`);
    return whole;
  }
  if (kind.kind === 'list' && Array.isArray(value)) return value.map((item) => shaped(item, kind.item));
  if (kind.kind === 'struct' && isRecord(value))
    return Object.fromEntries([...kind.members].map(([name, member]) => [name, shaped(value[name], member)]));
  return value;
}
