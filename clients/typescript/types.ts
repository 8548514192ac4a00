// A JSON schema as a TypeScript type: as much of the language as our own schemas use.

export interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
  readonly items?: JsonSchema;
  readonly prefixItems?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | JsonSchema;
}

/** `input` is what a caller writes, who may leave out what has a default. */
export type Direction = 'input' | 'output';

export function typeOf(schema: JsonSchema, direction: Direction): string {
  const inner = (one: JsonSchema): string => typeOf(one, direction);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((one) => JSON.stringify(one)));
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return union(choices.map(inner));
  if (schema.allOf) return schema.allOf.map(inner).join(' & ');
  if (Array.isArray(schema.type)) return union(schema.type.map((type: string) => inner({ ...schema, type })));
  switch (schema.type) {
    case 'string':
      return 'string';
    case 'integer':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      if (schema.prefixItems) return `[${schema.prefixItems.map(inner).join(', ')}]`;
      return schema.items ? `Array<${inner(schema.items)}>` : 'unknown[]';
    case 'object':
      return objectType(schema, direction);
    default:
      return 'unknown';
  }
}

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ');

function objectType(schema: JsonSchema, direction: Direction): string {
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, one]) => `${JSON.stringify(name)}${schema.required?.includes(name) ? '' : '?'}: ${typeOf(one, direction)}`,
  );
  const { additionalProperties: more } = schema;
  const rest = typeof more === 'object' && Object.keys(more).length > 0 ? typeOf(more, direction) : 'unknown';
  if (fields.length === 0) return `Record<string, ${rest}>`;
  const known = `{ ${fields.join('; ')} }`;
  return typeof more === 'object' || more === true ? `${known} & Record<string, unknown>` : known;
}
