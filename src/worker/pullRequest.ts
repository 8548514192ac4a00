// A manifest that a worker is given: the cell, and signed addresses to fetch its inputs from and to bring its result to. All
// addresses are looked at before anything is done.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { checkUrl, type NetworkPolicy, UrlRefused } from '../fetch/index.ts';
import { plainNumber } from '../runtimes/index.ts';
import { checked, fileNameOf, type InputSpec, type Order, orderOf, paramsSchema, principalSchema } from './order.ts';
import { cellTransform } from './protocolNames.ts';
import { invalid } from './refused.ts';

const specSchema = z.looseObject({
  /** Only values by variant have none. */
  uri: z.string().optional(),
  content_type: z.string().default('pickle/object'),
  file: z.string().optional(),
  get injected() {
    return z.record(z.string(), specSchema).default({});
  },
  get variants() {
    return z.record(z.string(), specSchema).default({});
  },
});

const addressesSchema = z.looseObject({
  output: z.looseObject({
    url: z.string().min(1),
    method: z.string().default('POST'),
    fields: z.record(z.string(), z.string()).optional(),
    headers: z.record(z.string(), z.string()).optional(),
    expires_at: z.preprocess(plainNumber, z.number().nullable()).default(null),
  }),
  finalize_url: z.string().min(1),
  log_url: z.string().nullable().default(null),
  output_file_url: z.string().nullable().default(null),
  manifest_url: z.string().nullable().default(null),
  issued_at: z.preprocess(plainNumber, z.number().nullable()).default(null),
});

const pullSchema = addressesSchema.extend({
  build_id: z.string().nullable().default(null),
  metadata: z.looseObject({
    build_id: z.string().optional(),
    principal: principalSchema,
    executor_ref: z.literal(cellTransform),
    params: paramsSchema.extend({ input_specs: z.record(z.string(), specSchema).default({}) }),
  }),
  inputs: z.array(
    z.looseObject({
      artifact_id: z.string().min(1),
      version: z.preprocess(plainNumber, z.int()),
      url: z.string().min(1),
    }),
  ),
});

export type PulledOutput = z.infer<typeof addressesSchema>['output'];

/** Where a pulled cell's result goes, and what it tells meanwhile. */
export interface Addresses {
  readonly output: PulledOutput;
  readonly finalizeUrl: string;
  readonly logUrl: string | null;
  readonly outputFileUrl: string | null;
  /** Gives others before these are too old. */
  readonly manifestUrl: string | null;
  /** Seconds from now on; null where nobody says. */
  readonly lifetime: number | null;
}

export interface Pulled {
  readonly order: Order;
  /** As the manifest names it outside its metadata. */
  readonly buildId: string | null;
  readonly addresses: Addresses;
}

export async function readPulled(value: unknown, policy: NetworkPolicy): Promise<Pulled> {
  const { build_id: buildId, metadata, inputs, ...rest } = checked(pullSchema, value, 'The manifest');
  for (const { url } of inputs) await checkAddress(url, policy);
  const addresses = await addressesIn(rest, policy);
  const signed = new Map(
    inputs.map(({ artifact_id, version, url }) => [`svc://artifact/${artifact_id}@v=${version}`, url]),
  );
  const { input_specs, ...params } = metadata.params;
  const asked = { buildId: metadata.build_id ?? randomUUID(), principal: metadata.principal };
  const order = orderOf(asked, params, mapSpecs(input_specs, signed));
  return { order, buildId, addresses };
}

/** Those of a later manifest of the same cell, looked at as the first ones were. */
export const readAddresses = (value: unknown, policy: NetworkPolicy): Promise<Addresses> =>
  addressesIn(checked(addressesSchema, value, 'The manifest'), policy);

async function addressesIn(
  { output, finalize_url: finalizeUrl, issued_at: issuedAt, ...urls }: z.infer<typeof addressesSchema>,
  policy: NetworkPolicy,
): Promise<Addresses> {
  const { log_url: logUrl, output_file_url: outputFileUrl, manifest_url: manifestUrl } = urls;
  for (const address of [output.url, finalizeUrl, logUrl, outputFileUrl, manifestUrl])
    if (address) await checkAddress(address, policy);
  return {
    output,
    finalizeUrl,
    logUrl: logUrl || null,
    outputFileUrl: outputFileUrl || null,
    manifestUrl: manifestUrl || null,
    // The moment is meant by the server's clock, which may differ from this one by hours.
    lifetime: output.expires_at === null ? null : output.expires_at - (issuedAt ?? Date.now() / 1000),
  };
}

async function checkAddress(address: string, policy: NetworkPolicy): Promise<void> {
  try {
    await checkUrl(address, policy);
  } catch (error) {
    throw error instanceof UrlRefused ? invalid(`An address of the manifest is refused: ${error.message}`) : error;
  }
}

function mapSpecs(
  specs: Readonly<Record<string, z.infer<typeof specSchema>>>,
  signed: ReadonlyMap<string, string>,
): Record<string, InputSpec> {
  return Object.fromEntries(
    Object.entries(specs).map(([name, { uri, content_type: format, file, injected, variants }]) => {
      const hasBytes = Object.keys(variants).length === 0;
      const source = uri === undefined ? undefined : signed.get(uri);
      if (hasBytes && source === undefined) throw invalid(`The manifest has no address for the input ${name}.`);
      const spec = { format, file: fileNameOf(name, format, file), source: source ?? '' };
      return [name, { ...spec, injected: mapSpecs(injected, signed), variants: mapSpecs(variants, signed) }];
    }),
  );
}
