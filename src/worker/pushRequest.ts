// The metadata of a pushed cell, in the form of today and in the flat one of old.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { parseExactly } from '../runtimes/index.ts';
import { checked, fileNameOf, type InputSpec, type Order, orderOf, paramsSchema, principalSchema } from './order.ts';
import { cellProtocol, cellTransform, executorProtocol } from './protocolNames.ts';
import { invalid } from './refused.ts';

const inputSchema = z.looseObject({
  file: z.string().optional(),
  get injected() {
    return z.record(z.string(), flatInputSchema).default({});
  },
  get variants() {
    return z.record(z.string(), flatInputSchema).default({});
  },
});
const flatInputSchema = inputSchema.extend({ content_type: z.string().default('pickle/object') });
const namedInputSchema = inputSchema.extend({ name: z.string().min(1), format: z.string().default('pickle/object') });

const transformSchema = z.looseObject({
  protocol_version: z.literal(executorProtocol).default(executorProtocol),
  build_id: z.string().optional(),
  principal: principalSchema,
  transform: z.looseObject({ ref: z.literal(cellTransform), params: paramsSchema }),
  inputs: z.array(namedInputSchema).default([]),
});

const flatSchema = paramsSchema.extend({
  protocol_version: z.literal(cellProtocol),
  build_id: z.string().optional(),
  principal: principalSchema,
  inputs: z.record(z.string(), flatInputSchema).default({}),
});

export type PushForm = 'transform' | 'flat';

export function readPushed(text: string, form: PushForm): Order {
  const metadata = parsed(text);
  if (form === 'flat') {
    const { build_id, principal, inputs, ...params } = checked(flatSchema, metadata, 'The metadata');
    return orderOf({ buildId: build_id ?? randomUUID(), principal }, params, mapSpecs(inputs));
  }
  const { build_id, principal, transform, inputs } = checked(transformSchema, metadata, 'The metadata');
  const named = inputs.map(({ name, format, ...rest }) => [name, { ...rest, content_type: format }] as const);
  const asked = { buildId: build_id ?? randomUUID(), principal };
  return orderOf(asked, transform.params, mapSpecs(Object.fromEntries(named)));
}

function parsed(text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw invalid('The metadata is not JSON.');
  }
}

function mapSpecs(inputs: Readonly<Record<string, z.infer<typeof flatInputSchema>>>): Record<string, InputSpec> {
  return Object.fromEntries(
    Object.entries(inputs).map(([name, { content_type: format, file, injected, variants }]) => {
      const plain = fileNameOf(name, format, file);
      const spec = { format, file: plain, source: file ?? plain };
      return [name, { ...spec, injected: mapSpecs(injected), variants: mapSpecs(variants) }];
    }),
  );
}
