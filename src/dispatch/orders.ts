// What the dispatcher reads of a request: enough to find the cell a place. The rest is the worker's to judge.
import { createReadStream } from 'node:fs';
import fs from 'node:fs/promises';
import { z } from 'zod';
import { parseAnnotations, type ResourceAnnotation } from '../notebook/annotations/index.ts';
import { readMultipart, readSmall } from '../pipes/index.ts';
import { checked, paramsSchema } from '../worker/order.ts';
import { jsonOf } from '../worker/protocolApp.ts';
import { readPushed } from '../worker/pushRequest.ts';
import { invalid, tooLarge } from '../worker/refused.ts';
import type { CellOrder, CellRoute } from './cell.ts';
import type { Resources } from './engine.ts';

const maxMetadataBytes = 64 * 1024 * 1024;

const manifestSchema = z.looseObject({
  build_id: z.string().nullish(),
  metadata: z.looseObject({ build_id: z.string().optional(), origin: z.unknown().optional(), params: paramsSchema }),
});
const originSchema = z.looseObject({ origin: z.unknown().optional() });
const keySchema = z.looseObject({ key: z.string().optional(), renv_lock_key: z.string().optional() });

/** Throws the refusal of what is no request of the protocol. */
export async function readOrder(
  route: CellRoute,
  contentType: string,
  file: string,
  standard: Resources,
): Promise<CellOrder> {
  if (route === '/v1/execute-manifest') {
    const { build_id, metadata } = checked(manifestSchema, jsonOf(await fs.readFile(file, 'utf8')), 'The manifest');
    const { source, timeout_seconds, environment } = metadata.params;
    const buildId = build_id ?? metadata.build_id ?? '';
    return orderOf(
      { route, contentType, buildId, source, environment, timeoutSeconds: timeout_seconds },
      metadata.origin,
      standard,
    );
  }
  const text = await metadataIn(file, contentType);
  const order = readPushed(text, route === '/v1/execute' ? 'transform' : 'flat');
  return orderOf({ route, contentType, ...order }, originSchema.parse(jsonOf(text)).origin, standard);
}

async function metadataIn(file: string, contentType: string): Promise<string> {
  for await (const part of readMultipart(createReadStream(file), contentType))
    if (part.name === 'metadata')
      return readSmall(part.body, maxMetadataBytes, (limit) => tooLarge('The metadata', limit));
    else for await (const _ of part.body);
  throw invalid('The request has no part metadata.');
}

interface Read extends Pick<CellOrder, 'route' | 'contentType' | 'buildId' | 'timeoutSeconds'> {
  readonly source: string;
  readonly environment?: unknown;
}

function orderOf(
  { route, contentType, buildId, source, environment, timeoutSeconds }: Read,
  origin: unknown,
  standard: Resources,
): CellOrder {
  const { resources, retry } = parseAnnotations(source);
  const { key, renv_lock_key } = keySchema.safeParse(environment).data ?? {};
  return {
    route,
    contentType,
    buildId,
    isInteractive: origin !== 'run',
    environment: key ?? renv_lock_key ?? null,
    resources: resources === null ? standard : resourcesOf(resources, standard),
    timeoutSeconds,
    retry,
  };
}

const resourcesOf = (
  { cpus, memoryBytes, gpus, seconds, custom }: ResourceAnnotation,
  standard: Resources,
): Resources => ({
  cpus: cpus ?? standard.cpus,
  memoryBytes: memoryBytes ?? standard.memoryBytes,
  gpus: gpus ?? standard.gpus,
  seconds: seconds ?? standard.seconds,
  custom: { ...standard.custom, ...custom },
});
