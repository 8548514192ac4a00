// Copies from another store: bytes under their digest, then the record that they belong to, or both at once.
import { z } from 'zod';
import { artifactUri, type ImportRecord } from '../../../artifacts/index.ts';
import { refusals } from '../../../errors/index.ts';
import { isNestedBeyond } from '../../../nesting.ts';
import { isMultipart } from '../../../pipes/index.ts';
import { detailBody, detailObjectBody, queryBool } from '../../../protocol/index.ts';
import { needs } from '../../access.ts';
import type { App, Services } from '../../services.ts';
import { acceptStreams, jsonText, multipartBody, rawBody } from './bodies.ts';
import { actorOf, writableStore } from './gates.ts';

const tags = ['artifacts'];

export function importRoutes(app: App, services: Services): void {
  const { settings } = services;
  const refused = { 400: detailBody, 403: detailObjectBody, 413: detailBody, 503: detailBody };

  app.register(async (scope: App) => {
    acceptStreams(scope);

    scope.put(
      '/v1/artifacts/import/blobs/:sha256',
      {
        config: needs('artifacts:write'),
        schema: {
          tags,
          summary: 'Bytes of a version that is to be imported, under their digest',
          consumes: ['application/octet-stream'],
          params: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
          response: { 201: z.object({ content_sha256: z.string(), byte_size: z.int() }), ...refused },
        },
      },
      async (request, reply) => {
        const store = writableStore(services);
        const bytes = await rawBody(store, request, settings);
        await store.imports.stage(actorOf(request.caller).tenant, request.params.sha256, bytes);
        return reply.code(201).send({ content_sha256: bytes.sha256, byte_size: bytes.byteSize });
      },
    );

    scope.post(
      '/v1/artifacts/import',
      {
        config: needs('artifacts:write'),
        schema: {
          tags,
          summary: 'A version of another store, with its number, its date and where it came from',
          consumes: ['application/json', 'multipart/form-data'],
          querystring: z.object({ remap: queryBool().default(false) }),
          response: {
            200: z.object({
              artifact_uri: z.string(),
              id: z.string(),
              version: z.int(),
              written: z.boolean(),
              remapped: z.boolean(),
            }),
            ...refused,
            409: detailBody,
          },
        },
      },
      async (request) => {
        const store = writableStore(services);
        const { metadata, data } = isMultipart(request.headers['content-type'])
          ? await multipartBody(store, request, settings)
          : { metadata: await jsonText(request, settings), data: undefined };
        try {
          if (metadata === undefined) throw refusals.partMissing('metadata');
          const record = recordIn(metadata);
          const { tenant } = actorOf(request.caller);
          const landed = await store.imports.land(tenant, record, data, request.query.remap);
          return { artifact_uri: artifactUri(landed), ...landed };
        } catch (error) {
          if (data) await store.staging.discard(data);
          throw error;
        }
      },
    );
  });
}

const jsonObject = z.string().refine(isJsonObject);
const count = z.int().min(0).nullable().default(null);

const importedRecord = z.object({
  id: z
    .string()
    .min(1)
    .refine((id) => !/[/\\\0]/.test(id)),
  version: z.int().min(1),
  state: z.enum(['ready', 'superseded']).default('ready'),
  provenance_hash: z.string().min(1),
  created_at: z.number(),
  schema_json: z.string().nullable().default(null),
  row_count: count,
  byte_size: count,
  transform_spec: jsonObject.nullable().default(null),
  input_versions: jsonObject.nullable().default(null),
  principal: z.string().nullable().default(null),
  content_sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .nullable()
    .default(null),
});

const rules: Readonly<Record<string, string>> = {
  id: 'a name that is no path',
  version: '1 or more',
  state: "'ready' or 'superseded'",
  provenance_hash: 'a non-empty string',
  created_at: 'a number of seconds',
  row_count: 'a non-negative integer',
  byte_size: 'a non-negative integer',
  transform_spec: 'a JSON object as text',
  input_versions: 'a JSON object as text',
  content_sha256: '64 hexadecimal digits',
};

/** Records and what they say of their making are flat; reading what is deeper takes fifty times its size in memory. */
const deepest = 200;

function recordIn(text: string): ImportRecord {
  if (isNestedBeyond(text, deepest)) throw refusals.metadataInvalid(`it is nested deeper than ${deepest} levels`);
  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch (error) {
    throw refusals.metadataInvalid(error instanceof Error ? error.message : String(error));
  }
  const parsed = importedRecord.safeParse(sent);
  if (!parsed.success) {
    const field = String(parsed.error.issues[0]?.path[0] ?? '');
    if (field === '') throw refusals.metadataInvalid('it must be an object');
    throw refusals.metadataField(field, rules[field] ?? 'a string');
  }
  const record = parsed.data;
  return {
    id: record.id,
    version: record.version,
    state: record.state,
    provenanceHash: record.provenance_hash,
    createdAt: record.created_at,
    schema: record.schema_json,
    rowCount: record.row_count,
    byteSize: record.byte_size,
    transformSpec: record.transform_spec,
    inputVersions: record.input_versions,
    principal: record.principal,
    contentSha256: record.content_sha256,
  };
}

function isJsonObject(text: string): boolean {
  if (isNestedBeyond(text, deepest)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
