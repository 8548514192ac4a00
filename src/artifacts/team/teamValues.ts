// Values in the team's store by the key of the computation that gave them: found, fetched, and given to others.
import { createHash } from 'node:crypto';
import { openAsBlob } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { refusals } from '../../errors/index.ts';
import { intoFile } from '../../files/index.ts';
import { pathOf } from './paths.ts';
import type { TeamStore } from './teamStore.ts';

const foundValue = z.object({
  artifact_id: z.string(),
  version: z.int(),
  content_type: z.string(),
  row_count: z.int().nullable(),
  byte_size: z.int().nullable(),
  content_sha256: z.string().nullable(),
  principal: z.string().nullable(),
  build_env: z.string(),
  build_duration_ms: z.number(),
  promotion: z.string().nullable(),
});
export type TeamValue = Readonly<z.infer<typeof foundValue>>;

/** What is told of a value that is given to others. */
export interface SharedValue {
  readonly contentType: string;
  readonly variableName: string;
  readonly buildEnv: string;
  readonly buildDurationMs: number;
  readonly environmentHash: string;
}

export interface TeamValues {
  /** Undefined when nobody has computed it; rejects when the store cannot say. */
  find(key: string, principal: string | null, signal: AbortSignal): Promise<TeamValue | undefined>;
  /** Writes the bytes to a new file and gives what they are; rejects unless they are those that the store speaks of. */
  fetch(
    value: TeamValue,
    file: string,
    principal: string | null,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: number; readonly sha256: string }>;
  /** The first who gives a value under a key wins. */
  share(
    key: string,
    value: SharedValue,
    bytes: string | Blob,
    principal: string | null,
    signal: AbortSignal,
  ): Promise<void>;
}

const findMilliseconds = 10_000;
const transferMilliseconds = 300_000;
const missHeader = 'x-svc-provenance-miss';

export function createTeamValues(team: TeamStore): TeamValues {
  const failed = (reason: string): Error => refusals.teamStoreFailed(team.url, reason);

  return {
    async find(key, principal, signal) {
      const response = await team.send(keyPath(key), { milliseconds: findMilliseconds, signal }, principal);
      const body: unknown = await response.json().catch(() => undefined);
      // Another 404 comes from something that is no store.
      if (response.status === 404 && response.headers.has(missHeader)) return undefined;
      if (!response.ok) throw failed(`${response.status} when asked for a result`);
      const found = foundValue.safeParse(body);
      if (!found.success) throw failed('its answer about a result cannot be read');
      return found.data;
    },

    async fetch(value, file, principal, signal) {
      const place = `${pathOf({ id: value.artifact_id, version: value.version })}/data`;
      const response = await team.send(place, { milliseconds: transferMilliseconds, signal }, principal);
      if (!response.ok || !response.body) throw failed(`${response.status} when asked for the bytes of a result`);
      const hash = createHash('sha256');
      let bytes = 0;
      await pipeline(
        response.body,
        async function* (pieces: AsyncIterable<Uint8Array>) {
          for await (const piece of pieces) {
            bytes += piece.length;
            hash.update(piece);
            yield piece;
          }
        },
        intoFile(file, { flags: 'wx', mode: 0o600 }),
      );
      const sha256 = hash.digest('hex');
      const isWhole = value.content_sha256 === null ? bytes === value.byte_size : sha256 === value.content_sha256;
      if (!isWhole) throw failed('the bytes of a result are not those that it was stored with');
      return { bytes, sha256 };
    },

    async share(
      key,
      { contentType, variableName, buildEnv, buildDurationMs, environmentHash },
      bytes,
      principal,
      signal,
    ) {
      const metadata = {
        content_type: contentType,
        variable_name: variableName,
        build_env: buildEnv,
        build_duration_ms: String(Math.round(buildDurationMs)),
        env_hash: environmentHash,
      };
      const body = new FormData();
      body.set('metadata', new Blob([JSON.stringify(metadata)]), 'metadata.json');
      body.set('data', typeof bytes === 'string' ? await openAsBlob(bytes) : bytes, 'data.bin');
      const request = { method: 'PUT', body, milliseconds: transferMilliseconds, signal };
      const response = await team.send(keyPath(key), request, principal);
      const text = await team.textOf(response);
      if (!response.ok) throw failed(`${response.status} when given a result: ${text.slice(0, 500)}`);
    },
  };
}

const keyPath = (key: string): string => `/v1/artifacts/by-provenance/${key}`;
